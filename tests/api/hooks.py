"""What schemathesis must know about the service besides its description."""

import schemathesis

LINES = "application/x-ndjson"


@schemathesis.serializer(LINES)
def lines(_, value):
    """A stream of JSON lines goes out as it is made: a string."""
    return value.encode("utf-8", "surrogatepass")


@schemathesis.hook
def filter_case(_, case):
    """Only strings are streams. A line that is no document is told and passed over, so that nothing that can be sent is refused as a whole."""
    return case.media_type != LINES or isinstance(case.body, str)
