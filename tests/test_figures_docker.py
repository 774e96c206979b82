"""Dockerfiles and docker run, against another parser and the tables of Docker's reference; the drawings of Docker."""

from __future__ import annotations

import io
import itertools
import re

import pytest
from dockerfile_parse import DockerfileParser

import blocks
from figures import EXAMPLES, FIGURES, dockerfile
from notes.model import Example

USED = [parameters for name, parameters in blocks.used(Example) if name == "dockerfile"]
STARTS = ["FROM a", "# first\nARG V=1\nFROM a:${V}", "from\tb AS build\nRUN make\n\nFROM a:1.0"]
MIDDLES = [
    "ENV X=1\nCOPY --from=build /x .",
    "RUN one && \\\n    two",
    "RUN one;\\\n    two\\\n  three",
    "RUN x \\\n# between\n  y \\  \n  z",
    'RUN ["pip", "install", "x"]\nVOLUME ["/data"]',
    "RUN [ -f x ] && echo yes",
    "  workdir /app\n\tadd . .",
]
ENDS = [
    'ENTRYPOINT ["python", "a.py"]\nCMD ["--n", "5"]',
    "CMD python a.py",
    'entrypoint ["sh"]\n',
    'CMD ["a"]\nCMD []',
]
FILES = ["\n".join(parts) for parts in itertools.product(STARTS, MIDDLES, ENDS)] + [given["file"] for given in USED]


def test_the_notes_hold_a_dockerfile() -> None:
    assert USED


@pytest.mark.parametrize("text", FILES)
def test_a_dockerfile_is_read_as_another_parser_reads_it(text: str) -> None:
    other = DockerfileParser(fileobj=io.BytesIO(text.encode()))
    wanted = [
        (one["instruction"], one["value"].split(), one["startline"] + 1)
        for one in other.structure
        if one["instruction"] != "COMMENT"
    ]
    found = dockerfile.parse(text)
    assert [(one.name, one.value.split(), one.line) for one in found] == wanted
    assert other.baseimage == [one.value for one in found if one.name == "FROM"][-1].replace("${V}", "1")


def test_an_escape_after_the_first_line_is_a_comment_and_three_signs_are_no_here_document() -> None:
    text = "FROM a\n# escape=`\nRUN cat <<< hello"
    assert [one.name for one in dockerfile.parse(text)] == ["FROM", "RUN"]


def test_a_free_line_does_not_end_a_continued_one() -> None:
    """Docker warns of it and goes on; the other parser stops there."""
    assert dockerfile.parse("FROM a\nRUN x && \\\n\n  y\nCMD z")[1:] == [
        dockerfile.Instruction("RUN", "x &&   y", 2, None),
        dockerfile.Instruction("CMD", "z", 5, None),
    ]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('CMD ["python", "a b.py"]', ("python", "a b.py")),
        ('ENTRYPOINT [ "sh" ,"-c" ]', ("sh", "-c")),
        ("CMD []", ()),
        ("CMD python a.py", None),
        ("RUN [ -f x ] && echo yes", None),
        ('RUN ["pip", "list"]', ("pip", "list")),
        ('SHELL ["/bin/bash", "-c"]', ("/bin/bash", "-c")),
    ],
)
def test_the_exec_form_is_a_json_list_and_all_else_the_shell_form(line: str, words: tuple[str, ...] | None) -> None:
    assert dockerfile.parse(f"FROM a\n{line}")[1].words == words


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("FROM a\nCPOY . .", "line 2 of 'file': unknown instruction 'CPOY', did you mean 'COPY'?"),
        ("FROM a\nXYZZY", "line 2 of 'file': unknown instruction 'XYZZY'; known are FROM, RUN, CMD"),
        ("FROM a\nRUN x \\\n  y\nENTRPOINT z", "line 4 of 'file': unknown instruction 'ENTRPOINT', did you mean"),
        ("# syntax=docker/dockerfile:1\n# Escape=`\nFROM a", "'file' begins with '# escape': other signs than"),
        ("FROM a\nRUN <<EOF\npip list\nEOF", "line 2 of 'file': here-documents are not read; join"),
        ("RUN x", "line 1 of 'file': a Dockerfile begins with FROM"),
        ("# only\nARG V=1", "line 1 of 'file': a Dockerfile begins with FROM"),
        ("FROM a\nCMD ['python', 'a.py']", "line 2 of 'file': the exec form is a JSON list: CMD ["),
        ('FROM a\n\nCMD ["python", 5]', "line 3 of 'file': the exec form is a JSON list"),
        ('FROM a\nENTRYPOINT ["python"', "line 2 of 'file': the exec form is a JSON list: ENTRYPOINT ["),
        ("FROM a\nRUN ['pip', 'list']", "line 2 of 'file': the exec form is a JSON list: RUN ["),
        ("FROM a\nSHELL /bin/bash", "line 2 of 'file': the exec form is a JSON list: SHELL ["),
        ("FROM a\nWORKDIR", "line 2 of 'file': 'WORKDIR' needs a value"),
        ("FROM a\nRUN x \\", "line 2 of 'file': the last line ends with a backslash"),
        ("FROM a\nRUN x \\\n# y", "line 2 of 'file': the last line ends with a backslash"),
    ],
)
def test_a_mistake_in_a_dockerfile_is_named_with_its_line(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        EXAMPLES["dockerfile"]({"file": text, "run": "img"})


def started(ending: str, run: str) -> list[str]:
    return dockerfile.runs(dockerfile.image(dockerfile.parse(f"FROM a\n{ending}")), run)[0]


ENTRYPOINTS = {"": [], "ENTRYPOINT exec_entry p1": None, 'ENTRYPOINT ["exec_entry", "p1"]': ["exec_entry", "p1"]}
COMMANDS = {
    "": [],
    'CMD ["exec_cmd", "p2"]': ["exec_cmd", "p2"],
    "CMD exec_cmd p2": ["/bin/sh", "-c", "exec_cmd p2"],
}


@pytest.mark.parametrize(("entrypoint", "command"), [*itertools.product(ENTRYPOINTS, COMMANDS)][1:])
@pytest.mark.parametrize("turned", [False, True])
def test_entrypoint_and_cmd_go_together_as_the_reference_s_table_says(
    entrypoint: str, command: str, turned: bool
) -> None:
    """Docker's reference, “Understand how CMD and ENTRYPOINT interact”: the order of the two lines is no matter."""
    ending = "\n".join(filter(None, [command, entrypoint] if turned else [entrypoint, command]))
    entry = ENTRYPOINTS[entrypoint]
    wanted = ["/bin/sh", "-c", "exec_entry p1"] if entry is None else [*entry, *COMMANDS[command]]
    assert started(ending, "img") == wanted


BOTH = 'ENTRYPOINT ["python", "t.py"]\nCMD ["-n", "5"]'


@pytest.mark.parametrize(
    ("ending", "run", "wanted"),
    [
        (BOTH, "img -n 1", ["python", "t.py", "-n", "1"]),
        (BOTH, "img -n 'a b'", ["python", "t.py", "-n", "a b"]),
        (BOTH, "--entrypoint bash img", ["bash"]),
        (BOTH, "--entrypoint=bash --rm img -c ls", ["bash", "-c", "ls"]),
        (BOTH, "--entrypoint '' img ls", ["ls"]),
        (BOTH, "-it --gpus all -p 8080:8080 me/img:1.0 --rm", ["python", "t.py", "--rm"]),
        ('CMD ["python", "t.py"]', "img bash", ["bash"]),
        ("ENTRYPOINT python t.py", "img -n 1", ["/bin/sh", "-c", "python t.py"]),
        ('CMD ["a"]\nCMD ["b"]', "img", ["b"]),
        ('SHELL ["/bin/bash", "-c"]\nCMD a b', "img", ["/bin/bash", "-c", "a b"]),
        ('ENTRYPOINT ["first"]\nCMD ["x"]\nFROM b\nCMD ["second"]', "img", ["second"]),
        ("CMD []", "img ls", ["ls"]),
    ],
)
def test_arguments_replace_cmd_and_the_option_replaces_entrypoint(ending: str, run: str, wanted: list[str]) -> None:
    """Docker's reference of `docker run`; only the last stage counts, and of it the last instructions."""
    assert started(ending, run) == wanted


@pytest.mark.parametrize(
    ("ending", "run", "message"),
    [
        (BOTH, "--nonsense img", "'run' holds '--nonsense img', which docker run refuses: "),
        (BOTH, "--rm", "'run' holds '--rm', which docker run refuses: the following arguments are required: image"),
        (BOTH, "Img", "'Img' is no image"),
        (BOTH, "img 'x", "'run' holds 'img 'x', which docker run refuses: No closing quotation"),
        ("RUN x", "img", "'run' gives 'img' no command and 'file' has neither ENTRYPOINT nor CMD; write one of them"),
    ],
)
def test_a_run_that_docker_refuses_is_refused(ending: str, run: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        EXAMPLES["dockerfile"]({"file": f"FROM a\n{ending}", "run": run})


def test_the_example_shows_the_file_the_instructions_and_why_each_command_is_run() -> None:
    text = EXAMPLES["dockerfile"](
        {"file": f"FROM a:1\nRUN x\nCOPY . .\n{BOTH}", "run": "img, img -n 1, --entrypoint sh img"}
    )
    assert text.startswith(f"```dockerfile\nFROM a:1\nRUN x\nCOPY . .\n{BOTH}\n```\n")
    for row in (
        "| 1 | `FROM` | 基础镜像 |", "| 2 | `RUN` | 构建时执行，提交一层；shell形式 |",
        "| 4 | `ENTRYPOINT` | 容器启动的主程序；exec形式 |",
        "| 5 | `CMD` | 默认的参数，接在`ENTRYPOINT`之后；exec形式 |",
        "| `img` | `python t.py -n 5` | ENTRYPOINT接CMD |",
        "| `img -n 1` | `python t.py -n 1` | ENTRYPOINT接参数，不用CMD |",
        "| `--entrypoint sh img` | `sh` | 换掉ENTRYPOINT，不用CMD |",
    ):  # fmt: skip
        assert row in text
    alone = EXAMPLES["dockerfile"]({"file": "FROM a\nCMD python t.py", "run": "img, img sh"})
    assert "| 2 | `CMD` | 默认的命令；shell形式 |" in alone
    assert "| `/bin/sh -c 'python t.py'` | 没有ENTRYPOINT，执行CMD |" in alone
    assert "| `sh` | 参数换掉整个CMD |" in alone


def test_the_file_of_the_notes_starts_what_the_editor_s_report_says() -> None:
    """Report W-25."""
    text = EXAMPLES["dockerfile"](USED[0])
    for run, words in (
        ("img", "python train.py --epochs 5"), ("img --epochs 1", "python train.py --epochs 1"),
        ("--entrypoint bash img", "bash"),
    ):  # fmt: skip
        assert f"| `{run}` | `{words}` |" in text


def test_the_layers_of_the_image_are_made_by_the_file_of_the_notes() -> None:
    """From the bottom: FROM, then one layer for each COPY and RUN; each container has a layer of its own above."""
    drawing = FIGURES["docker-layers"]({})
    said = [(float(text.get("y", 0)), text.text or "") for text in drawing.iter("text")]
    layers = [text.partition("：")[0] for _, text in sorted(said, reverse=True) if text.endswith("（只读）")]
    made = [one.name for one in dockerfile.parse(USED[0]["file"]) if one.name in ("FROM", "RUN", "COPY", "ADD")]
    assert layers == made
    assert [text for _, text in said].count("可写层") == 2


def test_the_flow_of_docker_leads_from_the_file_to_the_container() -> None:
    drawing = FIGURES["docker-flow"]({})
    places = {text.text or "": float(text.get("x", 0)) for text in drawing.iter("text")}
    way = ["Dockerfile", "build", "镜像", "run", "容器"]
    assert [places[name] for name in way] == sorted(places[name] for name in way)
    assert {"push", "pull"} <= set(places)
