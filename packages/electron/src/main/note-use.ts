/** What an app can use without deciding anything. */
const decidesNothing: ReadonlySet<string> = new Set([
  'openActivationWindow',
  'closeActivationWindow',
  'diagnose',
  'dispose',
])

/** What says nothing about the license until licensing has started, and doesn't start it. */
const readsOnly: ReadonlySet<string> = new Set(['state', 'has', 'covers', 'lease', 'subscribe'])

/**
 * Returns the same object, but calls back when a member is read that an app decides with. The pages of an app are served
 * by the original.
 */
export function noteUse<Target extends object>(
  target: Target,
  onUse: (kind: 'isUsed' | 'isRead') => void,
): Target {
  return new Proxy(target, {
    get(_target, name) {
      // `await` reads `then`, and guardUpdates() reads a symbol.
      if (typeof name === 'string' && Object.hasOwn(target, name) && !decidesNothing.has(name)) {
        onUse(readsOnly.has(name) ? 'isRead' : 'isUsed')
      }
      return Reflect.get(target, name)
    },
  })
}
