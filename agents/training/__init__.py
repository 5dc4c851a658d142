"""The life of a run: `flags` make its `config`, `folder` keeps it, `loop` is its course, `seeds` are several runs.

`curves` and `board` show how it went, `publish` ships what came out.
"""
