"""The receivers that are known, a file each: config/profiles/hats."""
import os, tomllib

from checks import Wrong

KEYS = {"title": str, "gpsd": dict, "boot": dict, "godwit": dict}


def folder(program):
    """Beside the installed program, or in its checkout."""
    places = [f"{program}/../share/godwit/hats", f"{program}/../../config/profiles/hats"]
    return next((place for place in places if os.path.isdir(place)), places[0])


def names(folder):
    return sorted(name[:-5] for name in os.listdir(folder) if name.endswith(".toml"))


def path(folder, name):
    return os.path.join(folder, name + ".toml")


def read(folder, name):
    if name not in names(folder):
        raise Wrong(f'there is no HAT "{name}"; known are {", ".join(names(folder))} (godwit-setup --list)')
    with open(path(folder, name), "rb") as file:
        try:
            hat = tomllib.load(file)
        except tomllib.TOMLDecodeError as problem:
            raise Wrong(f"{file.name}: {problem}") from None
    strange = [key for key in hat if not isinstance(hat[key], KEYS.get(key, ()))]
    if strange or "title" not in hat or not {"device", "usb"} & hat.get("gpsd", {}).keys():
        raise Wrong(f"{path(folder, name)} is no HAT's file: {', '.join(strange) or 'title or receiver is missing'}")
    return hat


def listing(folder):
    """Names and titles, and where what is known of each stands."""
    known = names(folder)
    width = max(map(len, known))
    lines = [f"{name:{width}}  {read(folder, name)['title']}" for name in known]
    return "\n".join([*lines, f"\n{os.path.realpath(folder)}/NAME.toml says what each does, and where it is known from."])
