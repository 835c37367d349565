class SandboxUnavailableError(Exception):
    """Our fault: no sandbox can be had. The run may be tried again and costs nobody an attempt."""
