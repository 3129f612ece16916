"""How many columns text takes on a terminal, and fitting it into some: CJK, emoji and combining marks line up.

All text here has passed `safe()`: it is one line without control characters, and without styles.
"""

# No cluster of characters that people read is longer; a flood of combining marks is cut without being measured.
_CHARACTERS_PER_CELL = 16


def width(text: str) -> int:
    """The columns that the text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def cut(text: str, columns: int) -> str:
    """The text if it fits, else as much of it as does with `…` at its end."""
    most = columns * _CHARACTERS_PER_CELL
    if len(text) <= most and width(text) <= columns:
        return text
    if columns < 1:
        return ""
    if text.isascii():
        return text[: columns - 1] + "…"
    from rich.cells import cell_len, set_cell_size

    beginning = text[:most]
    return set_cell_size(beginning, min(columns - 1, cell_len(beginning))) + "…"
