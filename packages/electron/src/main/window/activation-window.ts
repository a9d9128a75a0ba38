import type { BrowserWindow } from 'electron'

/** What creates and shows activation windows. */
export interface ActivationWindowView {
  /** Creates a hidden window. */
  create(appearance: ActivationWindowAppearance): BrowserWindow
  /** Loads its page and shows it. Resolves when it is visible, or closed before that. */
  show(window: BrowserWindow): Promise<void>
}

/** Dependencies of the activation window. */
export interface ActivationWindowPorts {
  /** Loads the view, which most launches don't need. Called again if it fails. */
  readonly loadView: () => Promise<ActivationWindowView>
  /** Whether the app is about to quit. Then the window isn't held, and its closing isn't reported. */
  readonly isQuitting: () => boolean
  /** Resolves at once, or once a started quit was canceled. No window is opened before. */
  readonly whenStaying: () => Promise<void>
}

/** The appearance of the window. */
export interface ActivationWindowAppearance {
  readonly title: string
  readonly parent: BrowserWindow | undefined
  /** Whether an open window has something new to show, so that its page reloads its data. */
  readonly isNews: boolean
}

/** The activation window, of which there is at most one. */
export interface ActivationWindow {
  /**
   * Shows the window, or focuses the existing one. Resolves when it is visible, or closed before that. Rejects if what it
   * needs can't be loaded.
   *
   * @param appearanceOf called just before that, with whether there is a window. Not called if `close` or `leave` was
   * called in the meantime.
   */
  open(appearanceOf: (isOpen: boolean) => ActivationWindowAppearance): Promise<void>
  close(): void
  /** Closes it on the user's behalf, unless it is held. */
  leave(): void
  /** Keeps it open when the user closes it, and calls back instead. @returns a function that stops this. */
  hold(onLeft: () => void): () => void
  readonly isOpen: boolean
  /** Whether it is visible: open and not minimized. */
  readonly isShown: boolean
  /** Whether the id of a `webContents` is that of the current window. */
  owns(windowId: number): boolean
  /**
   * Calls back when the window was closed for any reason except quitting. @returns a function that removes the
   * listener.
   */
  onClosed(listener: () => void): () => void
}

/** Creates the controller of the activation window. */
export function createActivationWindow(ports: ActivationWindowPorts): ActivationWindow {
  const listeners = new Set<() => void>()
  let loading: Promise<ActivationWindowView> | null = null
  let window: BrowserWindow | null = null
  let windowId = -1
  let shown: Promise<void> = Promise.resolve()
  let holder: (() => void) | null = null
  let goesWithApp = false
  let closings = 0

  async function show(view: ActivationWindowView, appearance: ActivationWindowAppearance): Promise<void> {
    if (window !== null) {
      await shown
      if (window === null) return
      if (appearance.isNews) {
        window.setTitle(appearance.title)
        window.webContents.reload()
      }
      if (window.isMinimized()) window.restore()
      if (!window.isVisible()) window.show()
      window.focus()
      return
    }
    const created = view.create(appearance)
    window = created
    goesWithApp = false
    windowId = created.webContents.id
    created.on('close', (event) => {
      goesWithApp = ports.isQuitting()
      if (holder === null || goesWithApp) return
      event.preventDefault()
      holder()
    })
    created.once('closed', () => {
      window = null
      windowId = -1
      // An app that exits immediately closes its windows before it reports the quit.
      queueMicrotask(() => {
        if (goesWithApp || ports.isQuitting()) return
        for (const listener of [...listeners]) listener()
      })
    })
    shown = view.show(created)
    await shown
  }

  function close(): void {
    closings += 1
    // Not `close()`, because the page could prevent that.
    window?.destroy()
  }

  return {
    async open(appearanceOf) {
      const closingsBefore = closings
      loading ??= ports.loadView().catch((error: unknown) => {
        loading = null
        throw error
      })
      const view = await loading
      await ports.whenStaying()
      // Unless the app was opened, or the window was dismissed, before there was one.
      if (closings === closingsBefore) await show(view, appearanceOf(window !== null))
    },
    close,
    leave() {
      if (holder === null) close()
      else holder()
    },
    hold(onLeft) {
      holder = onLeft
      return () => {
        if (holder === onLeft) holder = null
      }
    },
    get isOpen() {
      return window !== null
    },
    get isShown() {
      return window?.isVisible() === true && !window.isMinimized()
    },
    owns: (id) => id === windowId,
    onClosed(listener) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
  }
}
