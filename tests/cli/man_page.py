#!/usr/bin/env python3
"""docs/whyidle.1 is what src/cli/options.def and src/base/settings.def say.

usage: man_page.py [--accept]     --accept writes the page anew
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "whyidle.1"
STRING = r'"((?:[^"\\]|\\.)*)"'


def rows(file, macro):
    text = (ROOT / file).read_text().split("*/", 1)[1]
    return re.findall(rf"^{macro}\((.*)\)$", text, re.M)


def strings(row):
    return [s.replace('\\"', '"') for s in re.findall(STRING, row)]


def escape(text):
    return text.replace("\\", "\\e").replace("-", "\\-")


def command_section(row, options, examples):
    identifier = row.split(",")[0]
    word, arguments, sentence = strings(row)
    yield f".SS whyidle {escape(word)} {escape(arguments)}".rstrip()
    yield escape(sentence[0].upper() + sentence[1:]) + "."
    for option in options:
        where = option.split(",")[0].replace(" ", "").split("|")
        if f"IN_{identifier}" not in where and "IN_ALL" not in where:
            continue
        fields = strings(option)
        letter = re.search(r"'(\w)'", option)
        argument = fields[1] if len(fields) > 2 else ""
        names = (f"\\-{letter.group(1)}, " if letter else "") + escape(fields[0])
        yield f".TP\n.B {names} {escape(argument)}".rstrip()
        yield escape(fields[-1])
    for example in examples:
        if example.split(",")[0] == identifier:
            line, what = strings(example)
            yield f".PP\n.RS\n.nf\n{escape(line)}\n.fi\n{escape(what)}\n.RE"


def allowed(row):
    """What the variable may be set to: of words all, of numbers the ends."""
    kind, texts = re.search(r'", (FLAG|INT|WORD|TEXT), ', row).group(1), strings(row)
    if kind == "WORD":
        yield f".br\n{', '.join(texts[2].split('|'))} (default: {texts[1]})"
    elif kind != "TEXT":
        default, low, high = re.search(r", (?:FLAG|INT), (\d+), (\d+), (\d+), ", row).groups()
        yield f".br\n{low} {'to' if kind == 'INT' else 'or'} {high} (default: {default})"


def page():
    commands = rows("src/cli/options.def", "COMMAND")
    options = rows("src/cli/options.def", "OPTION")
    examples = rows("src/cli/options.def", "EXAMPLE")
    yield '.TH WHYIDLE 1 "" "whyidle" "User Commands"'
    yield ".SH NAME\nwhyidle \\- says why the GPU was not working, and what to change"
    yield ".SH SYNOPSIS\n.B whyidle\n.I PROGRAM\n[\\fIARGUMENT\\fR]...\n.br\n.B whyidle\n.I COMMAND\n[\\fIOPTION\\fR]..."
    yield (".SH DESCRIPTION\nRuns an unmodified CUDA job with a small library preloaded and reports, when it ends,\n"
           "where the time of every GPU went, what it waited for, and what to change.")
    yield ".SH COMMANDS"
    for row in commands:
        yield from command_section(row, options, examples)
    yield (".SH EXIT STATUS\n.B run\npasses the job's on; 125 whyidle itself failed, 126 and 127 as a shell.\n.br\n.B check\n"
           "0 pass, 1 a gate failed, 2 wrong usage or bad input, 3 inconclusive, 4 the job itself failed.\n.br\n"
           "The others: 0 success, 1 it cannot work or did not, 2 wrong usage or bad input.")
    yield ".SH ENVIRONMENT"
    for row in rows("src/base/settings.def", "SETTING"):
        yield f".TP\n.B {strings(row)[0]}\n{escape(strings(row)[-1])}"
        yield from allowed(row)
    yield ".TP\n.B COLUMNS\ncolumns of the terminal, unless an option or WHYIDLE_WIDTH says other"
    yield ".TP\n.B NO_COLOR\nno colours, unless an option or WHYIDLE_COLOR asks for them"
    yield ".SH FILES\n.B whyidle\\-out/\nthe reports: one folder a job, one document a process; \\fBlatest\\fR names the newest."


def main():
    text = "\n".join(page()) + "\n"
    if "--accept" in sys.argv:
        PAGE.write_text(text)
    if PAGE.exists() and PAGE.read_text() == text:
        return 0
    print(f"{PAGE} is not what the tables say: run {sys.argv[0]} --accept")
    return 1


if __name__ == "__main__":
    sys.exit(main())
