"""Write the transcripts anew: `python -m tests.golden`."""

from tests.golden.files import rewrite

if __name__ == "__main__":
    rewrite()
