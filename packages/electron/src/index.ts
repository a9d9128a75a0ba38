throw new Error(
  "'@latchkey/electron' has one entry per process: import '@latchkey/electron/main' in the main process, " +
    "'@latchkey/electron/preload' in a preload script, and '@latchkey/electron/renderer' or " +
    "'@latchkey/electron/dialog' in a window.",
)
