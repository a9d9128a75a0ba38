throw new Error(
  "'@latchkey/electron' has one entry per process: '@latchkey/electron/main' for the main process, " +
    "'@latchkey/electron/preload' for a preload script, and '@latchkey/electron/renderer' or " +
    "'@latchkey/electron/dialog' for a window. Load one of these instead.",
)
