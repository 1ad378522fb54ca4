"""gpsd and what it tells."""
import datetime, json

from . import fault
from ..receiver import SPEED_MPS, moved, utc

WEEK_S = 7 * 86_400


@fault("gpsd", "25", told=["gpsd_lost"], disturbs=["gps"])
def gpsd_killed(vehicle, chance):
    """gpsd is killed, and started again"""
    vehicle.receiver.kill()
    yield chance.uniform(2, 6)
    vehicle.receiver.start()


@fault("gpsd", "26", told=["gps_silent"], disturbs=["gps"])
def gpsd_stopped(vehicle, chance):
    """gpsd keeps its socket open and says nothing"""
    vehicle.receiver.pause()
    yield chance.uniform(5, 9)
    vehicle.receiver.resume()


@fault("gpsd", "33", told=["gps_silent", "gps_no_sky"], disturbs=["gps"])
def module_silent(vehicle, chance):
    """The module says nothing for some seconds"""
    vehicle.receiver.spoil = lambda report: None
    yield chance.uniform(6, 9)
    vehicle.receiver.spoil = None


@fault("gpsd", "28 29", disturbs=["gps"])
def no_sky(vehicle, chance):
    """Reports without a fix for some seconds"""
    vehicle.receiver.spoil = lambda report: {**report, "mode": 1}
    yield chance.uniform(3, 9)
    vehicle.receiver.spoil = None


@fault("gpsd", "30", disturbs=["gps", "load"])
def garbage(vehicle, chance):
    """Noise, huge lines, NaN, and numbers out of all bounds, between good reports"""
    strange = [
        chance.randbytes(2000), b"\0" * 500 + b"\r\n", b"[" * 50_000 + b"\r\n", b"x" * 300_000 + b"\r\n",
        b'{"class":"TPV","mode":3,"lat":NaN,"lon":NaN,"time":"NaN"}\r\n',
        b'{"class":"TPV","mode":3,"lat":1e308,"lon":-1e308,"speed":1e308,"time":"9999-99-99T99:99:99Z"}\r\n',
        b'{"class":"SKY","satellites":[' + b'{"PRN":1,"used":true},' * 3000 + b'{}]}\r\n',
        b'{"class":"TPV","mode":99999999999999999999}\r\n']
    vehicle.receiver.spoil = lambda report: chance.choice([*strange, report])
    yield chance.uniform(3, 6)
    vehicle.receiver.spoil = None


@fault("gpsd", "30", disturbs=["gps", "load"])
def error_flood(vehicle, chance):
    """Thousands of ERROR objects with each report"""
    errors = b'{"class":"ERROR","message":"Unrecognized request"}\r\n' * 4000
    vehicle.receiver.spoil = lambda report: errors + (json.dumps(report) + "\r\n").encode()
    yield chance.uniform(3, 6)
    vehicle.receiver.spoil = None


@fault("gpsd", "31 69", disturbs=["gps"], weight=4)
def another_place(vehicle, chance):
    """The receiver is half a kilometre to a thousand off, for seconds, once or twice"""
    metres = chance.choice([500, 3_000, 50_000, 1_000_000])
    vehicle.note(f"the receiver is {metres} m off")

    def off(report):
        latitude, longitude = moved(report["lat"], report["lon"], metres, 0)
        return {**report, "lat": round(latitude, 8), "lon": round(longitude, 8)}
    for _ in range(chance.choice([1, 2])):
        vehicle.receiver.spoil = off
        yield chance.uniform(1, 6)
        vehicle.receiver.spoil = None
        yield chance.uniform(0.5, 3)


@fault("gpsd", "69", disturbs=["gps"])
def second_receiver(vehicle, chance):
    """A second receiver, elsewhere, is told of between the first one's reports"""
    state = {"turn": 0}

    def both(report):
        state["turn"] += 1
        if state["turn"] % 2:
            return report
        latitude, longitude = moved(report["lat"], report["lon"], 20_000, 20_000)
        return {**report, "device": "/dev/other", "lat": round(latitude, 8), "lon": round(longitude, 8)}
    vehicle.receiver.spoil = both
    yield chance.uniform(3, 6)
    vehicle.receiver.spoil = None


@fault("gpsd", "69", disturbs=["gps"])
def absurd_speed(vehicle, chance):
    """Speeds of a thousand metres a second, and below nought"""
    speeds = [1_000.0, -5.0, 1e9, SPEED_MPS]
    vehicle.receiver.spoil = lambda report: {**report, "speed": chance.choice(speeds)}
    yield chance.uniform(3, 6)
    vehicle.receiver.spoil = None


def shifted(seconds):
    def shift(report):
        when = datetime.datetime.fromisoformat(report["time"].replace("Z", "+00:00")).timestamp()
        return {**report, "time": utc(when + seconds)}
    return shift


WRONG_S = [-1024 * WEEK_S, 1024 * WEEK_S, -86_400, 86_400, -3_600, 3_600, 365 * 86_400]


def misdated(vehicle, chance, least_s, most_s):
    seconds = chance.choice(WRONG_S)
    vehicle.note(f"GPS dates are {seconds} s off")
    vehicle.receiver.spoil = shifted(seconds)
    yield chance.uniform(least_s, most_s)
    vehicle.receiver.spoil = None


@fault("gpsd window", "22 68", disturbs=["gps", "window"], weight=4)
def wrong_date(vehicle, chance):
    """GPS dates are an hour, a day, a year, or 1024 weeks off, for seconds"""
    yield from misdated(vehicle, chance, 3, 8)


@fault("gpsd window", "68", disturbs=["gps", "window"], begins=True)
def wrong_date_first(vehicle, chance):
    """The first GPS dates after the start are wrong"""
    yield from misdated(vehicle, chance, 5, 12)
