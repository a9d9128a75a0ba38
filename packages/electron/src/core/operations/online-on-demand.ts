type OnlineOperations = typeof import('./online/online-operations.ts')

let loaded: OnlineOperations | null = null

/** Loads the operations that ask the service, at the first use of one of them. A launch decides without them. */
export async function onlineOperations(): Promise<OnlineOperations> {
  loaded ??= await import('./online/online-operations.ts')
  return loaded
}
