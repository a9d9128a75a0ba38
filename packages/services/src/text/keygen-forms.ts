/** Keygen's keys: those without a scheme, then signed ones. */
export const keygenForms: readonly RegExp[] = [
  /(?<![\w-])[\dA-F]{6}(?:-[\dA-F]{6}){4}-V\d(?![\w-])/gu,
  /(?<![\w-])key\/[\w+=-]+\.[\w+=-]+/gu,
]
