/** What an app can use without deciding anything. */
const decidesNothing: ReadonlySet<string> = new Set([
  'openActivationWindow',
  'closeActivationWindow',
  'diagnose',
  'dispose',
])

/**
 * Returns the same object, but calls back when a member is read that an app decides with. The pages of an app are served
 * by the original.
 */
export function noteUse<Target extends object>(target: Target, onUse: () => void): Target {
  return new Proxy(target, {
    get(_target, name) {
      // `await` reads `then`, and guardUpdates() reads a symbol.
      if (typeof name === 'string' && Object.hasOwn(target, name) && !decidesNothing.has(name)) onUse()
      return Reflect.get(target, name)
    },
  })
}
