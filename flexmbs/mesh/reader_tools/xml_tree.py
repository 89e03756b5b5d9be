"""XML files that may be damaged, or written to do harm, as a tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from flexmbs.common.errors import MeshError


@dataclass
class XmlNode:
    """An element, with the line where it starts."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[XmlNode] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    def all(self, tag: str) -> list[XmlNode]:
        """The children with this tag."""
        return [child for child in self.children if child.tag == tag]

    def nested(self) -> Iterator[XmlNode]:
        """This element and all in it."""
        waiting = [self]  # no recursion, which ends at some depth
        while waiting:
            node = waiting.pop()
            waiting += reversed(node.children)
            yield node


def xml_tree(path: Path, data: bytes) -> XmlNode:
    """The root of an XML file, whatever its encoding.

    Raises
    ------
    MeshError
        The content is damaged or cut off, in an unknown encoding, or declares entities.
    """
    parser = expat.ParserCreate()
    parser.buffer_text = True
    top = XmlNode("", {}, 1)
    open_nodes = [top]

    def start(tag, attributes):
        node = XmlNode(tag, attributes, parser.CurrentLineNumber)
        open_nodes[-1].children.append(node)
        open_nodes.append(node)

    def refuse(*_):
        raise MeshError(f"{path}:{parser.CurrentLineNumber}: the XML declares entities, which is not allowed.")

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda tag: open_nodes.pop()
    parser.CharacterDataHandler = lambda text: open_nodes[-1].texts.append(text)
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        reason = expat.errors.messages.get(error.code, str(error))
        raise MeshError(f"{path}:{error.lineno}: the XML is damaged or cut off ({reason}).") from error
    except (LookupError, ValueError) as error:  # an encoding that does not exist, or cannot be used
        raise MeshError(f"{path}:1: the XML declares an encoding that cannot be read ({error}).") from error
    return top.children[0]
