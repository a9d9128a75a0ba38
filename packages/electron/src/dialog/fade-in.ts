/** Lets the words and what is below them arrive softly, and the badge with them, for those who don't mind motion. */
export function fadeIn(root: ParentNode): void {
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return
  const arrive = { duration: 180, easing: 'ease-out' }
  for (const part of root.querySelectorAll('.hero > :not(.emblem), .body')) {
    part.animate({ opacity: [0, 1], translate: ['0 4px', '0'] }, arrive)
  }
  const badge = root.querySelector('.badge')
  badge?.animate(
    { opacity: [0, 1], scale: [0.5, 1] },
    { duration: 280, easing: 'cubic-bezier(0.2, 1.4, 0.4, 1)' },
  )
  root
    .querySelector('[data-badge=done] path')
    ?.animate(
      { strokeDasharray: ['16', '16'], strokeDashoffset: [16, 0] },
      { duration: 300, delay: 160, easing: 'ease-out', fill: 'backwards' },
    )
}
