"""A fleet with a past, written into the database of a collector that has ended: trips, stops, gaps and events of each day."""
import datetime
import json
import math
import random
import sqlite3

DAY_MS = 86_400_000
COLUMNS = ("device_id, queue_id, sequence, uuid, time_ms, latitude, longitude, altitude_m, accuracy_m, speed_mps, heading_deg, "
           "is_moving, event, extras, received_ms, json")


# Vehicles whose last trip has not ended.
UNDER_WAY = (14, 15, 16)


def midnight_ms(now_ms):
    return now_ms - now_ms % DAY_MS


class Vehicle:
    def __init__(self, number, seed):
        self.id, self.name = number, f"van {number:04}"
        self.chance = random.Random(seed * 100003 + number)
        self.queue = number
        self.sequence = 0
        self.trip = 0
        self.home = (47.2 + self.chance.random() * 0.5, 7.6 + self.chance.random() * 1.5)
        self.place = self.home
        self.last = None
        # What the collector keeps of records for reports.
        self.trips, self.events = [], []

    def row(self, time_ms, event="", extras="", speed=None, moving=False):
        self.sequence += 1
        # The same length as a uuid, and never sent.
        uuid = f"{self.id:08x}-0000-8000-8000-{self.sequence:012x}"
        if not event:
            self.last = (time_ms, self.sequence)
        if event in ("geofence", "warning"):
            said = json.loads(extras)
            self.events.append([self.id, uuid, time_ms, event, said.get("geofence") or said["warning"], said.get("action") or said["cause"],
                                None, *self.place, time_ms + 1000])
        return (self.id, self.queue, self.sequence, uuid, time_ms, self.place[0], self.place[1], 430.0, 5.0, speed, 90.0,
                moving, event, extras, time_ms + 1000, "{}")

    def drive(self, begin_ms, points, ends=True):
        """One trip: a way with some bends; without its end it is under way. Yields its rows."""
        self.trip += 1
        course = self.chance.random() * 2 * math.pi
        extras = json.dumps({"trip": self.trip}, separators=(",", ":"))
        distance, time_ms, start = 0.0, begin_ms, self.place
        yield self.row(begin_ms, "motionchange", f'{{"trip":{self.trip},"cause":"probe"}}', 3.0, True)
        for _ in range(points):
            course += self.chance.gauss(0, 0.35)
            speed, step_s = self.chance.uniform(8, 22), self.chance.randint(20, 50)
            metres = speed * step_s
            distance += metres
            time_ms += step_s * 1000
            self.place = (self.place[0] + metres * math.cos(course) / 111_320,
                          self.place[1] + metres * math.sin(course) / 75_000)
            yield self.row(time_ms, "", extras, speed, True)
        self.trips.append((self.id, self.queue, self.trip, begin_ms, time_ms, not ends, round(distance, 1), 95 if ends else None, 21.7,
                           "stayed" if ends else None, False, *start, *self.place, time_ms + 1000))
        if not ends:
            return
        yield self.row(time_ms + 300_000, "trip", json.dumps({
            "trip": self.trip, "start_ms": begin_ms, "end_ms": time_ms, "duration_s": (time_ms - begin_ms) / 1000, "idle_s": 95,
            "distance_m": round(distance, 1), "top_speed_mps": 21.7, "end_cause": "stayed"}, separators=(",", ":")), 0.0)

    def gap(self, cause, begin_ms, end_ms):
        return self.row(end_ms, "gap", json.dumps({"cause": cause, "begin_ms": begin_ms, "end_ms": end_ms}, separators=(",", ":")))

    def day(self, day_ms, points):
        """Trips at 7, 10, 13 and 16 h, or so; at the end of the day home again."""
        parked_ms = day_ms
        for number, hour in enumerate((7, 10, 13, 16)):
            begin_ms = day_ms + int((hour + self.chance.random()) * 3_600_000)
            yield self.gap("parked", parked_ms, begin_ms)
            end_ms = begin_ms
            for row in self.drive(begin_ms, points):
                if not row[12]:
                    end_ms = row[4]
                yield row
            if number == 1:
                yield self.row(end_ms + 1000, "geofence", '{"action":"ENTER","geofence":"depot"}')
                visit = self.events[-1]
            if number == 2:
                visit[6] = begin_ms
                yield self.gap("no_sky", end_ms + 60_000, end_ms + 1_500_000)
                end_ms += 1_500_000
                yield self.row(end_ms, "warning", '{"warning":"gps_lost","cause":"no_sky"}')
            parked_ms = end_ms
        yield self.gap("window_closed", parked_ms, day_ms + DAY_MS - 1000)
        self.place = self.home


def fill(path, vehicles, days, now_ms, points=25, seed=1):
    """- Returns: how many records."""
    database = sqlite3.connect(path)
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("PRAGMA synchronous=OFF")
    marks = ",".join("?" * len(COLUMNS.split(",")))
    count = 0
    for number in range(1, vehicles + 1):
        vehicle = Vehicle(number, seed)
        first_ms = midnight_ms(now_ms) - days * DAY_MS
        database.execute("INSERT INTO device (id, name, schema, first_contact_ms) VALUES (?, ?, 'geomony/1', ?)",
                         (number, vehicle.name, first_ms))
        for day in range(days):
            database.executemany(f"INSERT INTO record ({COLUMNS}) VALUES ({marks})", vehicle.day(first_ms + day * DAY_MS, points))
        under_way = number in UNDER_WAY
        if under_way:
            rows = [vehicle.gap("parked", midnight_ms(now_ms), now_ms - 1_300_000),
                    *vehicle.drive(now_ms - 1_300_000, points, ends=False)]
            database.executemany(f"INSERT INTO record ({COLUMNS}) VALUES ({marks})", rows)
        count += vehicle.sequence
        for table, rows in (("trip", vehicle.trips), ("event", vehicle.events)):
            if rows:
                database.executemany(f"INSERT INTO {table} VALUES ({','.join('?' * len(rows[0]))})", rows)
        time_ms, sequence = vehicle.last
        database.execute(
            "UPDATE device SET records = ?, first_time_ms = ?, last_time_ms = ?, last_contact_ms = ?, position_record_id = "
            "(SELECT id FROM record WHERE device_id = ? AND sequence = ?) WHERE id = ?",
            (vehicle.sequence, first_ms, time_ms, time_ms, number, sequence, number))
        database.execute(
            "INSERT INTO device_now (device_id, latitude, longitude, time_ms, is_moving, last_contact_ms, version, problems, "
            "trip_begin_ms, trip_end_ms, trip_distance_m, trip_is_open) "
            "SELECT ?, latitude, longitude, time_ms, ?, ?, '0.2.0', '', ?, ?, ?, ? FROM record WHERE device_id = ? AND sequence = ?",
            (number, under_way, now_ms - number * 60_000, *vehicle.trips[-1][3:5], vehicle.trips[-1][6], under_way, number, sequence))
        database.commit()
    database.commit()
    database.close()
    return count


def text(time_ms):
    return datetime.datetime.fromtimestamp(time_ms / 1000, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")
