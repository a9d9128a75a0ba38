/** Edits one field of an object. Returns whether it existed. */
type Edit = (holder: Record<string, unknown>, name: string) => boolean

/** Gives the named fields a value of another type. Returns `false` if none of them exists. */
export function retypeFields(body: unknown, paths: readonly string[]): boolean {
  return editFields(body, paths, (holder, name) => {
    if (!Object.hasOwn(holder, name)) return false
    holder[name] = ofAnotherType(holder[name])
    return true
  })
}

/** Removes the named fields. Returns `false` if none of them exists. */
export function removeFields(body: unknown, paths: readonly string[]): boolean {
  return editFields(body, paths, (holder, name) => {
    const wasThere = Object.hasOwn(holder, name)
    delete holder[name]
    return wasThere
  })
}

/** Sets the named fields. Returns `false` if none of them can be set. */
export function setFields(body: unknown, values: Record<string, unknown>): boolean {
  const results = Object.entries(values).map(([path, value]) =>
    editFields(body, [path], (holder, name) => {
      holder[name] = value
      return true
    }),
  )
  return results.includes(true)
}

function editFields(body: unknown, paths: readonly string[], edit: Edit): boolean {
  let edits = 0
  for (const path of paths) {
    const steps = path.split('.')
    const name = steps.pop() ?? ''
    let holders: unknown[] = [body]
    for (const step of steps) holders = holders.flatMap((holder) => enter(holder, step))
    for (const holder of holders) {
      if (!isRecord(holder)) continue
      for (const key of name === '*' ? Object.keys(holder) : [name]) {
        if (edit(holder, key)) edits += 1
      }
    }
  }
  return edits > 0
}

function enter(holder: unknown, step: string): unknown[] {
  if (!isRecord(holder)) return []
  return step === '*' ? Object.values(holder) : Object.hasOwn(holder, step) ? [holder[step]] : []
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function ofAnotherType(value: unknown): unknown {
  switch (typeof value) {
    case 'string':
      return 42
    case 'number':
      return String(value)
    case 'boolean':
      return value ? 'yes' : 'no'
    default:
      return value === null ? { unexpected: true } : 'a text'
  }
}
