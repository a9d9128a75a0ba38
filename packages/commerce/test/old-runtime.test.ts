import { expect, it } from 'vitest'
import { licenseId } from './samples.ts'
import { json, startService } from './service.ts'

// ky looks at these once, when it is loaded: they have to be gone before, which is why nothing above imports it.
for (const name of ['any', 'timeout']) Reflect.deleteProperty(AbortSignal, name)
for (const name of ['canParse', 'parse']) Reflect.deleteProperty(URL, name)
Reflect.deleteProperty(Promise, 'withResolvers')
Reflect.deleteProperty(Promise, 'try')

it('works, times out and cancels in a runtime as old as Node 18.15', async () => {
  const { createCommerceClient } = await import('../src/index.ts')
  const service = await startService(json({ data: [] }))
  expect(await createCommerceClient({ baseUrl: service.baseUrl }).licenses.keys(licenseId)).toEqual([])

  const silent = await startService(() => {})
  const { licenses } = createCommerceClient({ baseUrl: silent.baseUrl, timeout: 50 })
  await expect(licenses.keys(licenseId)).rejects.toMatchObject({ code: 'unreachable', reason: 'timeout' })
  const cancel = new AbortController()
  const call = licenses.keys(licenseId, { signal: cancel.signal })
  cancel.abort()
  await expect(call).rejects.toMatchObject({ code: 'cancelled' })
})
