"""Compares what Swift writes in each language with CLDR's data in Babel.

    cldr.py FILE

FILE is JSON. By the language's tag it has: "numbers", texts by number; "days", by date the long one, the
short one and the short one without a year; "lists", of one item and more; "comma", the text between two items
of a plain list; and, if it has a catalogue, "plurals", the number of the form for a count.

Prints each difference, and then how many values there were.
"""

import datetime
import json
import sys

from babel import Locale
from babel.dates import format_date, format_skeleton
from babel.lists import format_list
from babel.numbers import format_decimal

CATEGORIES = ["zero", "one", "two", "few", "many", "other"]


def grouped(tag, number, locale):
    # CLDR's minimumGroupingDigits of Spanish is 2. Babel doesn't have that.
    if tag == "es" and number < 10_000:
        return str(number)
    return format_decimal(number, locale=locale)


def short(tag, text):
    # "Sep", as English pages have had it from the start, and not "Sept".
    return text.replace("Sept", "Sep") if tag == "en" else text


def plural_forms(locale, counts):
    """Numbers the categories that whole numbers up to 1,000 have, in gettext's order."""
    used = {locale.plural_form(n) for n in range(1001)}
    forms = [category for category in CATEGORIES if category in used]
    return {text: forms.index(locale.plural_form(int(text))) for text in counts}


def expected(tag, values):
    locale = Locale.parse("en_001" if tag == "en" else tag, sep="-" if "-" in tag else "_")
    days = {}
    for text in values["days"]:
        day = datetime.date.fromisoformat(text)
        days[text] = [
            format_date(day, "long", locale),
            short(tag, format_skeleton("yMMMd", day, locale=locale)),
            short(tag, format_skeleton("MMMd", day, locale=locale)),
        ]
    lists = ["ABCDE"[:length] for length in range(1, 6)]
    return {
        "numbers": {text: grouped(tag, int(text), locale) for text in values["numbers"]},
        "days": days,
        "lists": [format_list(list(items), "standard", locale) for items in lists],
        "comma": locale.list_patterns["standard"]["start"][3:-3],
        "plurals": plural_forms(locale, values.get("plurals", {})),
    }


def flat(value, path=""):
    """Yields each value in nested lists and objects, with its path."""
    if isinstance(value, (dict, list)):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in items:
            yield from flat(item, f"{path}/{key}")
    else:
        yield path, value


count = 0
with open(sys.argv[1], encoding="utf-8") as file:
    languages = json.load(file)
for language, ours in languages.items():
    theirs = dict(flat(expected(language, ours)))
    ours = dict(flat(ours))
    count += len(ours)
    for place in sorted(ours.keys() | theirs.keys()):
        if ours.get(place) != theirs.get(place):
            print(language + place, ascii(ours.get(place)), ascii(theirs.get(place)))
print(count, "values")
