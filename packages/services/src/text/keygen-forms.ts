/** Match Keygen's keys: first keys without a scheme, then signed keys. */
export const keygenForms: readonly RegExp[] = [
  /(?<![\w-])[\dA-F]{6}(?:-[\dA-F]{6}){4}-V\d(?![\w-])/gu,
  /(?<![\w-])key\/[\w+=-]+\.[\w+=-]+/gu,
]
