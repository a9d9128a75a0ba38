/** Files that the build embeds in the main bundle, so that they are found however the app is packaged. */
declare module 'virtual:latchkey/activation-page' {
  /** What runs in the activation window's page. */
  export const script: string
  /** The styles of the page. */
  export const styles: string
}

/** The preload script of the activation window. */
declare module 'virtual:latchkey/preload-script' {
  /** The bundled preload script, CommonJS. */
  export const preloadScript: string
}

/** Facts about this package. */
declare module 'virtual:latchkey/package' {
  /** Version of this package. */
  export const packageVersion: string
}
