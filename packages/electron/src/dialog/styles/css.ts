/** Styles as text; the name lets editors and the build see what it is. */
export const css: typeof String.raw = String.raw
