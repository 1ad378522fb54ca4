"""Tells the collector which tokens it may let in: their hashes."""
import json, os, shutil, subprocess, sys, urllib.error, urllib.request

HERE = os.path.dirname(os.path.realpath(__file__))


def first_token(path):
    """None: the file has none. As the collector reads its own: lines that begin with # do not count."""
    with open(path, encoding="utf-8", errors="replace") as opened:
        lines = [line.strip() for line in opened]
    return next((line for line in lines if line and not line.startswith("#")), None)


def register(asked, output):
    """Returns the exit code."""
    file = f"{output.path}/tokens.json"
    # With it, a second run would make others, and end the ones that the boxes have.
    again = f"the files are written, so run this again{' without --new-tokens' if asked.new_tokens else ''}"
    if asked.database:
        program = shutil.which("godwit-collector") or f"{HERE}/../../collector/.build/debug/godwit-collector"
        done = subprocess.run([program, "token", "import", "--database", asked.database, file])
        if done.returncode == 0:
            return 0
        print(f"godwit-provision: {again}", file=sys.stderr)
        return 77
    if not asked.register:
        print(f"next: godwit-collector token import {file}, on the collector's machine")
        return 0
    token = first_token(asked.operator_token_file)
    # Nothing else can be sent in a header.
    if token is None or not (token.isascii() and token.isprintable()):
        wrong = "holds no token" if token is None else "has a token that is not printable ASCII"
        print(f"godwit-provision: {asked.operator_token_file} {wrong}: write the operator's token as one line; "
              + again, file=sys.stderr)
        return 66
    with open(file, "rb") as opened:
        request = urllib.request.Request(
            f"{asked.url}/v1/tokens", data=opened.read(), method="PUT",
            headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=120) as answer:
            done = json.load(answer)
    except urllib.error.HTTPError as error:
        try:
            words = json.load(error)["error"]
        except (ValueError, KeyError, TypeError):
            words = error.reason
        print(
            f"godwit-provision: the collector refuses ({error.code}): {words}; {again}", file=sys.stderr)
        return 77
    except (OSError, ValueError) as error:
        print(f"godwit-provision: the collector cannot be reached: {error}; {again}", file=sys.stderr)
        return 69
    print(f"the collector: {done['registered']} new tokens, {done['unchanged']} it knew, "
          f"{done['ended']} older ones ended")
    return 0
