"""Forms of the page of codes: their fields, and the changes of a codebook that they state."""

import re
from collections.abc import Sequence

from pydantic import BaseModel

from semscale.coding.codebook import Code, Codebook
from semscale.coding.codebook_editing import add_code, change_code, put_under_net, take_examples
from semscale.errors import InputError
from semscale.messages import shorten
from semscale.workbench.project import changed_elsewhere, version_of_content


class CodeChoice(BaseModel):
    """Fields of the address that state what the page shows.

    Attributes:
        question: name of the question.
        codebook: name of the codebook's file, without its ending.
        edit: name of a code that is shown as a form.
        find: words in the codes to show.
        labels: sheet of labels that is chosen in the form that codes.
    """

    question: str = ""
    codebook: str = ""
    edit: str = ""
    find: str = ""
    labels: str = ""

    def includes(self, code: Code) -> bool:
        """Return true if a code is shown."""
        texts = [text.casefold() for text in code.texts]
        return all(any(word in text for text in texts) for word in self.find.casefold().split())


class ChangeForm(BaseModel):
    """Fields that every form on codes has.

    Attributes:
        question: name of the question.
        codebook: name of the codebook's file, without its ending.
        code: name of the code.
        version: hash of the code as the page showed it.
    """

    question: str = ""
    codebook: str = ""
    code: str = ""
    version: str = ""

    def find_code(self, codebook: Codebook) -> Code:
        """Return the code.

        Raises:
            ConflictError: it was changed since the page was shown.
        """
        code = next((code for code in codebook.codes if code.name == self.code), None)
        if code is None or version_of_code(code) != self.version:
            raise changed_elsewhere(f"code {shorten(self.code)}")
        return code


class CodeForm(ChangeForm):
    """Fields of the form on a code.

    Attributes:
        name: its name.
        definition: its definition.
        keywords: its keywords, between commas.
        examples: its examples, one per line.
        negative_examples: its negative examples, one per line.
        net: the net above it; empty for none.
        new_net: name of a net that is added, instead.
        takes_examples: whether examples that other codes have are moved from there.
    """

    name: str = ""
    definition: str = ""
    keywords: str = ""
    examples: str = ""
    negative_examples: str = ""
    net: str = ""
    new_net: str = ""
    takes_examples: bool = False

    def added_to(self, codebook: Codebook) -> Codebook:
        """Return the codebook with a new code as the form states it."""
        examples = split_entries(self.examples, (), "\n")
        return add_code(
            take_examples(codebook, "", examples) if self.takes_examples else codebook,
            self.name,
            examples,
            " ".join(self.definition.split()),
            split_entries(self.keywords, (), ",\n"),
        )

    def apply(self, codebook: Codebook) -> Codebook:
        """Return the codebook with the code as the form states it."""
        code, name = self.find_code(codebook), self.name.strip()
        if code.is_net:
            return change_code(codebook, code.name, name=name)
        examples = split_entries(self.examples, code.examples, "\n")
        changed = change_code(
            take_examples(codebook, code.name, examples) if self.takes_examples else codebook,
            code.name,
            name=name,
            definition=" ".join(self.definition.split()),
            keywords=split_entries(self.keywords, code.keywords, ",\n"),
            examples=examples,
            negative_examples=split_entries(self.negative_examples, code.negative_examples, "\n"),
        )
        net = self.new_net.strip() or self.net
        return changed if net == (code.parent or "") else put_under_net(changed, [name], net)


class SplitForm(ChangeForm):
    """Fields of the form that splits a code.

    Attributes:
        name: name of the new code.
        definition: its definition.
        texts: its examples.
    """

    name: str = ""
    definition: str = ""
    texts: list[str] = []


class MergeForm(ChangeForm):
    """Fields of the form that merges codes.

    Attributes:
        join: the version and the name of each code.
    """

    join: list[str] = []


class StarForm(BaseModel):
    """Fields of the form that gives an answer a star, or takes it away.

    Attributes:
        row: row of the answer, from 1.
        code: the code for which it is quoted.
        starred: whether the page showed a star; without it, whether there is one now.
        filters: query of the address, to which the page returns.
    """

    row: int
    code: str = ""
    starred: bool | None = None
    filters: str = ""


class SuggestForm(BaseModel):
    """Fields of the form that suggests codes.

    Attributes:
        question: name of the question.
        codes: number of codes; empty to choose it by stability.
        model: name of the embedding model.
    """

    question: str = ""
    codes: str = ""
    model: str = ""

    @property
    def n_codes(self) -> int | None:
        """The number of codes.

        Raises:
            InputError: it is no number.
        """
        text = self.codes.strip()
        if text and not text.isdecimal():
            raise InputError("codes", f"must be a number, got {shorten(text)}")
        return int(text) if text else None


def version_of_code(code: Code) -> str:
    """Return a hash of a code, by which a change on an outdated page is noticed."""
    return version_of_content(repr(code).encode("utf-8", "surrogatepass"))


def show_entries(entries: Sequence[str], sign: str) -> str:
    """Return entries as a field has them, each in one line."""
    return sign.join(" ".join(entry.split()) for entry in entries)


def split_entries(text: str, current: Sequence[str], signs: str) -> tuple[str, ...]:
    """Return the entries of a field; the current ones if it is as ``show_entries`` showed them."""

    def parts(field: str) -> tuple[str, ...]:
        cleaned = (" ".join(entry.split()) for entry in re.split(f"[{signs}]", field))
        return tuple(dict.fromkeys(filter(None, cleaned)))

    return tuple(current) if parts(text) == parts(show_entries(current, signs[0])) else parts(text)
