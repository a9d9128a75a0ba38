/** A package with the same purpose as Latchkey. */
export interface Peer {
  readonly name: string
  /** Pinned, so that a run can be repeated. */
  readonly version: string
  /** The notebook that uses it, in `gates`. */
  readonly gate: string
  /** The folder of its activation window's files in its package. Absent if they are part of the main process. */
  readonly screenFolder?: string
  /** What its size in the main process includes. */
  readonly holds: string
  /** What was needed to run it, for readers of the table. */
  readonly madeToRun: string
}

/** The packages that are compared with Latchkey. */
export const peers: readonly Peer[] = [
  {
    name: '@anystack/electron-license',
    version: '0.0.15',
    gate: 'anystack',
    screenFolder: 'license',
    holds: 'excludes its window, a page that is loaded from files',
    madeToRun:
      'its check-in interval is 0, so that it checks at each launch; the activated license is written through its own ' +
      'store; ifAuthorized gets an object whose show() opens the notebook; its service is a local server',
  },
  {
    name: 'electron-license-kit',
    version: '0.1.1',
    gate: 'electron-license-kit',
    holds: 'it has no activation window',
    madeToRun:
      'an empty WebSocket class where Node has none; a local server in place of Supabase, to sign in once; its files are ' +
      'led into the app’s folder. It keeps no session between launches, so validate() answers from its cache and sends ' +
      'no request',
  },
]
