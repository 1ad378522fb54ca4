"""The map's ground: a file of tiles, and a server of them."""
import os
import sqlite3
import struct
import zlib

from collector import demand
from live import serving

# The one tile of zoom 4 that the fleet is on, by its row from the north.
ZOOM, COLUMN, ROW = 4, 8, 5


def picture():
    """A tile of one colour as PNG."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = (b"\0" + bytes((143, 188, 143)) * 256) * 256
    head = struct.pack(">IIBBBBB", 256, 256, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def write_file(path):
    """MBTiles 1.3 of that one tile; its rows count from the south."""
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE metadata (name TEXT, value TEXT)")
    database.execute("CREATE TABLE tiles (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_data BLOB)")
    database.executemany("INSERT INTO metadata VALUES (?, ?)", {
        "name": "one", "format": "png", "minzoom": str(ZOOM), "maxzoom": str(ZOOM),
        "attribution": '<a href="https://tiles.example.com">A file</a>'}.items())
    database.execute("INSERT INTO tiles VALUES (?, ?, ?, ?)", (ZOOM, COLUMN, 2**ZOOM - 1 - ROW, picture()))
    database.commit()
    database.close()


class Tiles:
    """A step of check-pages."""

    def tiles(self):
        page = self.page

        def show(*options):
            # Left before its servers end: what it still asks them for would be a complaint of the browser.
            page.open("about:blank")
            self.collector.end()
            self.start(*self.simulator(), *options, port=self.collector.port)
            page.open(self.collector.url)
            page.wait("document.querySelectorAll('.row').length > 0")

        def is_shown(source):
            page.wait("[...document.querySelectorAll('img.leaflet-tile-loaded')]"
                      f".some((one) => one.src.startsWith('{source}') && one.naturalWidth === 256)")

        file = os.path.join(self.folder, "one.mbtiles")
        write_file(file)
        show("--mbtiles", file)
        is_shown(f"{self.collector.url}/v1/tiles/{ZOOM}/{COLUMN}/{ROW}")
        said = page.evaluate("document.querySelector('.leaflet-control-attribution').innerHTML")
        demand("A file" in said and "<a" not in said, f"the source is named as {said}")
        self.picture("tiles")
        with serving(0, lambda path: (200, "image/png", picture())) as (port, asked):
            server = f"http://127.0.0.1:{port}/"
            show("--tiles", server + "{z}/{x}/{y}.png", "--attribution", "A server")
            is_shown(server)
            page.wait("document.querySelector('.leaflet-control-attribution').innerText === 'A server'")
            demand(asked, "nothing has asked the server for tiles")
            # This once the page was to ask elsewhere, and for nothing but tiles.
            show()
            page.asked[:] = [one for one in page.asked if not (one.startswith(server) and one.endswith(".png"))]
