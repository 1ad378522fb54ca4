"""The table of devices: its columns, its cells, and all that is wrong with them."""
import csv, difflib, io, re

OWN_COLUMNS = ("id", "profile", "hat", "apn")


class Refused(Exception):
    """What is wrong, line by line."""


def columns_letter(number):
    """As spreadsheets name it: 1 is A, 27 is AA."""
    letters = ""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


class Table:
    """The lines of the file, and all that is wrong with them."""

    def __init__(self, path, settings):
        self.path, self.settings, self.problems, self.rows = path, settings, [], []
        try:
            with open(path, encoding="utf-8-sig", newline="") as file:
                text = file.read()
        except UnicodeDecodeError as error:
            raise Refused(f"{path}: is not UTF-8 (byte {error.start}): save it as CSV UTF-8") from None
        head = text.split("\n", 1)[0]
        separator = ";" if ";" in head and "," not in head else ","
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
        self.columns = []
        before = 0
        try:
            for cells in reader:
                line, before = before + 1, reader.line_num
                if not any(cell.strip() for cell in cells):
                    continue
                if not self.columns:
                    self.read_head(line, [cell.strip() for cell in cells])
                else:
                    self.read_row(line, [cell.strip() for cell in cells])
        except csv.Error as error:
            # Where the line begins that could not be read: a quote without its end takes all that follow along.
            self.refuse(before + 1, None, f"cannot be read as CSV: {error}; is a quote missing?")
        if not self.columns and not self.problems:
            self.refuse(1, None, "is empty: the first line names the columns, of which id must be one")
        if self.columns and not self.rows and not self.problems:
            self.refuse(1, None, "has no device: only the line with the columns' names")

    def refuse(self, line, column, words):
        place = f"{self.path}:{line}"
        if column is not None:
            name = self.columns[column] if column < len(self.columns) else ""
            place += f": column {columns_letter(column + 1)}{f' ({name})' if name else ''}"
        self.problems.append((line, column or 0, f"{place}: {words}"))

    def read_head(self, line, names):
        self.columns = names
        known = [*OWN_COLUMNS, *self.settings]
        for column, name in enumerate(names):
            if name == "device_id":
                self.refuse(line, column, "the column id is the device's name")
            elif name in names[:column]:
                self.refuse(line, column, "is there twice")
            elif name not in known:
                near = difflib.get_close_matches(name, known, 1)
                self.refuse(line, column, "is no column" + (f"; did you mean {near[0]}?" if near else ""))
        if "id" not in names:
            self.refuse(line, None, "names no column id")

    def read_row(self, line, cells):
        if len(cells) > len(self.columns):
            self.refuse(line, len(self.columns), "more cells than columns: quote a cell that holds the separator")
        self.rows.append((line, dict(zip(self.columns, cells))))

    def column(self, name):
        return self.columns.index(name) if name in self.columns else None


def flattened(schema, before=""):
    """{dotted name: schema} of all settings that a cell can set."""
    found = {}
    for name, each in schema["properties"].items():
        if each.get("type") == "object":
            if "properties" in each:
                found |= flattened(each, f"{before}{name}.")
        elif f"{before}{name}" != "device_id":
            found[before + name] = each
    return found


def value(text, schema):
    """What a cell sets. Raises ValueError with words."""
    kind = schema["type"]
    if kind == "string":
        if "enum" in schema and text not in schema["enum"]:
            near = difflib.get_close_matches(text, schema["enum"], 1)
            raise ValueError(f"is none of {', '.join(schema['enum'])}" + (f"; did you mean {near[0]}?" if near else ""))
        return text
    if kind == "boolean":
        if text.lower() not in ("true", "false"):
            raise ValueError("is neither true nor false")
        return text.lower() == "true"
    if kind == "array":
        return [part.strip() for part in text.split(";") if part.strip()]
    try:
        number = int(text) if re.fullmatch(r"[+-]?\d+", text) else float(text)
    except ValueError:
        raise ValueError("is no number; fractions have a point") from None
    if kind == "integer" and not isinstance(number, int):
        raise ValueError("is no whole number")
    low, high = schema.get("minimum"), schema.get("maximum")
    if number != number or (low is not None and number < low) or (high is not None and number > high):
        raise ValueError(f"is not in {low} to {high}")
    return number
