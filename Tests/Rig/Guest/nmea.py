"""Sentences of NMEA 0183."""


def sentence(body):
    check = 0
    for letter in body.encode():
        check ^= letter
    return f"${body}*{check:02X}\r\n"


def degrees(value, positive, negative, width):
    """ddmm.mmmmmm,N"""
    whole, part = divmod(abs(value), 1)
    return f"{int(whole):0{width}d}{part * 60:09.6f},{positive if value >= 0 else negative}"
