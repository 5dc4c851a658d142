"""Tables of short texts on one page, drawn with Pillow."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from pontoon_gym.errors import MissingExtra
from pontoon_gym.files import digest

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

_KEY = "pontoon"
"""The text chunk of a PNG that holds what is written beside the picture."""
_SEAL = "pontoon-digest"
"""The text chunk that holds the digest of both, so that neither is changed alone."""
_MOST_PIXELS = 1 << 25
_MARGIN, _LINE, _ROW, _PAD = 24, 24, 26, 10
_INK, _EDGE, _HEAD, _PAPER = (20, 20, 24), (150, 150, 150), (232, 236, 230), (255, 255, 255)
_FILLS = {"S": (255, 214, 208), "T": (208, 234, 208), "P": (255, 238, 170), "B": (200, 220, 250), "W": (232, 214, 246)}


class Sheet(NamedTuple):
    """A page: its title, notes below it, and tables by name, each a list of rows, the first the columns' heads."""

    title: str
    notes: tuple[str, ...]
    grids: dict[str, list[list[str]]]


def png_bytes(sheet: Sheet, text: str) -> bytes:
    """A page as a PNG file that also holds a text. Raises `MissingExtra`."""
    try:
        from PIL import Image, ImageDraw, ImageFont
        from PIL.PngImagePlugin import PngInfo
    except ImportError as error:
        raise MissingExtra("pictures need Pillow: pip install '.[render]' in a clone") from error
    font = ImageFont.load_default(15)
    pen = ImageDraw.Draw(Image.new("RGB", (1, 1)))
    width, height = _size(sheet, lambda words: int(pen.textlength(words, font)))
    image = Image.new("RGB", (width, height), _PAPER)
    _paint(sheet, ImageDraw.Draw(image), font)
    info, out = PngInfo(), io.BytesIO()
    info.add_text(_KEY, text)
    info.add_text(_SEAL, _digest(image, text))
    image.save(out, "PNG", pnginfo=info)
    return out.getvalue()


def _digest(image: Image, text: str) -> str:
    """What tells a picture with its text from others."""
    return digest(f"{image.size} {text}".encode() + image.convert("RGB").tobytes())


def png_text(data: bytes) -> str:
    """The text that a PNG file of `png_bytes` holds.

    Raises `MissingExtra`, and `ValueError` if there is none, or the picture or the text was changed.
    """
    try:
        from PIL.Image import open as opened
    except ImportError as error:
        raise MissingExtra("pictures need Pillow: pip install '.[render]' in a clone") from error
    with opened(io.BytesIO(data), formats=["PNG"]) as image:
        if image.width * image.height > _MOST_PIXELS:
            raise ValueError("it is too large")
        image.load()
        if _KEY not in image.info:
            raise ValueError("its picture holds no text")
        text = str(image.info[_KEY])
        if image.info.get(_SEAL) != _digest(image, text):
            raise ValueError("what it shows is not what it holds: its picture was changed")
        return text


def _widths(grid: list[list[str]], measure: Callable[[str], int]) -> list[int]:
    """The width of each column of a table."""
    return [max(measure(row[k]) for row in grid) + 2 * _PAD for k in range(len(grid[0]))]


def _size(sheet: Sheet, measure: Callable[[str], int]) -> tuple[int, int]:
    """Width and height of the page."""
    words = [measure(text) for text in (sheet.title, *sheet.notes, *sheet.grids)]
    widest = max([*words, *(sum(_widths(grid, measure)) for grid in sheet.grids.values())])
    rows = sum(_LINE + _ROW * len(grid) + _LINE for grid in sheet.grids.values())
    return widest + 2 * _MARGIN, 2 * _MARGIN + _LINE * (1 + len(sheet.notes)) + rows


def _paint(sheet: Sheet, pen: ImageDraw, font: Any) -> None:
    y = _MARGIN
    for text in (sheet.title, *sheet.notes):
        pen.text((_MARGIN, y), text, _INK, font)
        y += _LINE
    for name, grid in sheet.grids.items():
        y += _LINE // 2
        pen.text((_MARGIN, y), name, _INK, font)
        y = _paint_grid(grid, pen, font, y + _LINE) + _LINE // 2


def _paint_grid(grid: list[list[str]], pen: ImageDraw, font: Any, top: int) -> int:
    """Draw a table from `top` down; where it ends."""
    widths = _widths(grid, lambda words: int(pen.textlength(words, font)))
    for i, row in enumerate(grid):
        left = _MARGIN
        for k, (text, width) in enumerate(zip(row, widths, strict=True)):
            fill = _HEAD if i == 0 or k == 0 else _FILLS.get(text[:1], _PAPER)
            pen.rectangle((left, top + i * _ROW, left + width, top + (i + 1) * _ROW), fill, _EDGE)
            pen.text((left + width / 2, top + i * _ROW + _ROW / 2), text, _INK, font, anchor="mm")
            left += width
    return top + len(grid) * _ROW
