"""The life of a run: `flags` make its `config`, which its `folder` keeps; `loop` is its course, `seeds` are several.

`curves` and `board` show how it went, `publish` ships what came out.
"""
