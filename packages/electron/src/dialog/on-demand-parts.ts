import { onDemand } from '../shared/on-demand.ts'
import type { OfflineElement, OfflineScreen } from './offline/offline-screen.ts'
import type { ScreenFrame } from './scene/screen-frame.ts'
import { sheetOf } from './styles/sheet-of.ts'

/** Parts of the screen that are loaded when it first needs them. */
export interface OnDemandParts {
  /** Activation without internet; `null` until it is loaded. */
  readonly offline: OfflineScreen | null
  /** Loads it, unless it is loaded. After a failure, the next call tries again. */
  loadOffline(): Promise<OfflineScreen>
  /** Loads what a frame is drawn with, then updates. @returns whether the frame has to wait for it */
  isLoading(frame: ScreenFrame): boolean
}

/** Creates the parts. Nothing is loaded yet. @param leave goes back from the activation without internet */
export function createOnDemandParts(
  element: OfflineElement,
  rootOf: () => ShadowRoot,
  localeOf: () => string | undefined,
  update: () => void,
  leave: () => void,
): OnDemandParts {
  let offline: OfflineScreen | null = null
  let isOfflineWanted = false
  let hasRows = false

  const load = onDemand(async () => {
    const { createOfflineScreen } = await import('./offline/offline-screen.ts')
    offline = await createOfflineScreen(element, rootOf(), localeOf(), update, leave)
    return offline
  })
  const loadOffline = (): Promise<OfflineScreen> => {
    isOfflineWanted = true
    return load()
  }
  const loadRows = async (): Promise<void> => {
    const { rows } = await import('./styles/rows.ts')
    rootOf().adoptedStyleSheets.push(sheetOf(rows))
  }
  return {
    get offline() {
      return offline
    },
    loadOffline,
    isLoading: ({ scene, view }) => {
      // It says until when a device is activated and how to renew, and shows a release code.
      const isOffline = view.state?.license?.validUntil ?? view.state?.releaseCodes ?? view.state?.releaseCode
      if (isOffline && !isOfflineWanted) {
        // Only once: if loading fails, the screen is drawn without it.
        loadOffline().then(update, update)
        return true
      }
      if (scene.body !== 'list' || hasRows) return false
      hasRows = true
      loadRows().then(update, update)
      return true
    },
  }
}
