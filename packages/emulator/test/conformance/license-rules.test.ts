import { isCommerceError } from '@latchkey/commerce'
import { expect } from 'vitest'
import { at, keyIdOf } from '../raw-requests.ts'
import {
  activate,
  describeRules,
  emulatorControl,
  expectSent,
  freeLater,
  ids,
  service,
  textOf,
} from './rule-suite.ts'

describeRules({
  'What the service does': [
    {
      statement: 'it answers with JSON',
      holds: async () => {
        const answer = await service.raw.send('GET', '/customers')
        expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
        expect(answer.body).toBeDefined()
      },
    },
    {
      statement: 'each license has an activation limit and an activation usage count',
      holds: async () => {
        const answer = await activate()
        expect(Number(at(answer, 'license.activation_usage'))).toBeLessThanOrEqual(
          Number(at(answer, 'license.activation_limit')),
        )
      },
    },
    {
      statement: 'keys can be listed, shown, activated, validated and deactivated per license',
      holds: async () => {
        const { licenses } = service.commerce
        const { key } = await licenses.activate(service.licenseId, { name: 'Conformance' })
        freeLater(key.id)
        expect((await licenses.keys(service.licenseId)).map(({ id }) => id)).toContain(key.id)
        expect((await licenses.key(service.licenseId, key.id)).name).toBe('Conformance')
        expect((await licenses.validate(service.licenseId, { key: key.id })).key.id).toBe(key.id)
        await licenses.deactivate(service.licenseId, { key: key.id })
        expect((await licenses.keys(service.licenseId)).map(({ id }) => id)).not.toContain(key.id)
      },
    },
  ],
  'License fields': [
    {
      statement: 'activation_usage is the number of activations in use',
      holds: async () => {
        const first = await activate()
        const second = await activate()
        const usage = Number(at(first, 'license.activation_usage'))
        expect(at(second, 'license.activation_usage')).toBe(usage + 1)
        await service.raw.deactivate(keyIdOf(second))
        const answer = await service.raw.validate(keyIdOf(first))
        expect(at(answer, 'license.activation_usage')).toBe(usage)
      },
    },
    {
      statement: 'activation_usage_formatted has the form "<activation_usage>/<activation_limit>"',
      holds: async () => {
        const answer = await activate()
        const [usage, limit] = [
          textOf(answer, 'license.activation_usage'),
          textOf(answer, 'license.activation_limit'),
        ]
        expect(at(answer, 'license.activation_usage_formatted')).toBe(`${usage}/${limit}`)
      },
    },
    {
      statement: 'suspended_at is null when not suspended',
      needsEmulator: true,
      holds: async () => {
        const answer = await activate()
        expect(at(answer, 'license.suspended_at')).toBeNull()
        service.emulator?.control.suspend(service.licenseId)
        expect(at(await service.raw.validate(keyIdOf(answer)), 'license.suspended_at')).not.toBeNull()
      },
    },
    {
      statement: 'status is uppercase; ACTIVE is a known value',
      holds: async () => {
        const answer = await activate()
        expect(textOf(answer, 'license.status')).toBe(textOf(answer, 'license.status').toUpperCase())
        expect(at(answer, 'license.status')).toBe('ACTIVE')
      },
    },
    {
      statement: 'name is the label given at activation',
      holds: async () => {
        const answer = await activate('Ada’s Laptop [9f2c1a77b0e4d311] 💻')
        expect(at(answer, 'key.name')).toBe('Ada’s Laptop [9f2c1a77b0e4d311] 💻')
        expect(at(await service.raw.key(keyIdOf(answer)), 'data.name')).toBe(at(answer, 'key.name'))
      },
    },
  ],
  'States and transitions': [
    {
      statement: 'activating checks the key and usage limits and sets the status to ACTIVE',
      needsEmulator: true,
      holds: async () => {
        const { id } = emulatorControl().createLicense({ status: 'INACTIVE', activation_limit: 1 })
        expect(at(await service.raw.activate('Conformance', id), 'license.status')).toBe('ACTIVE')
        expect(Math.floor((await service.raw.activate('Conformance', id)).status / 100)).toBe(4)
      },
    },
  ],
  'License key endpoints': [
    {
      statement: 'List keys is GET /licenses/{id}/keys and gives data, an array of LicenseKey',
      holds: async () => {
        const keyId = keyIdOf(await activate())
        const answer = await service.raw.keys()
        expect(ids(answer)).toContain(keyId)
        await service.commerce.licenses.keys(service.licenseId)
        expectSent('GET', `/licenses/${service.licenseId}/keys`, '')
      },
    },
    {
      statement:
        'Activate a key is POST /licenses/{id}/activate with name and gives the license and the key created',
      holds: async () => {
        const { key, license } = await service.commerce.licenses.activate(service.licenseId, { name: 'X' })
        freeLater(key.id)
        expect(license.id).toBe(service.licenseId)
        expectSent('POST', `/licenses/${service.licenseId}/activate`, '{"name":"X"}')
      },
    },
    {
      statement: 'Validate a key is POST /licenses/{id}/validate with key and gives the license and the key',
      holds: async () => {
        const id = keyIdOf(await activate())
        const { key, license } = await service.commerce.licenses.validate(service.licenseId, { key: id })
        expect([license.id, key.id]).toEqual([service.licenseId, id])
        expectSent('POST', `/licenses/${service.licenseId}/validate`, `{"key":"${id}"}`)
      },
    },
    {
      statement: 'Show key is GET /licenses/{id}/keys/{key} and gives data, one LicenseKey',
      holds: async () => {
        const id = keyIdOf(await activate())
        expect(at(await service.raw.key(id), 'data.id')).toBe(id)
        await service.commerce.licenses.key(service.licenseId, id)
        expectSent('GET', `/licenses/${service.licenseId}/keys/${id}`, '')
      },
    },
    {
      statement:
        'Deactivate a key is DELETE /licenses/{id}/deactivate with key and gives a message that says so',
      holds: async () => {
        const id = keyIdOf(await activate())
        const { message } = await service.commerce.licenses.deactivate(service.licenseId, { key: id })
        expect(message).toMatch(/deactivated/i)
        expectSent('DELETE', `/licenses/${service.licenseId}/deactivate`, `{"key":"${id}"}`)
        expect(ids(await service.raw.keys())).not.toContain(id)
      },
    },
    {
      statement: 'name is required to activate',
      holds: async () => {
        const path = `/licenses/${service.licenseId}/activate`
        const answer = await service.raw.send('POST', path, { body: {} })
        expect(Math.floor(answer.status / 100)).toBe(4)
        const refused = service.commerce.licenses.activate(service.licenseId, { name: '' })
        await expect(refused).rejects.toMatchObject({ code: 'invalid-argument' })
      },
    },
    {
      statement: 'key is required to validate and to deactivate',
      holds: async () => {
        for (const [method, verb] of [
          ['POST', 'validate'],
          ['DELETE', 'deactivate'],
        ] as const) {
          const answer = await service.raw.send(method, `/licenses/${service.licenseId}/${verb}`, {
            body: {},
          })
          expect(Math.floor(answer.status / 100)).toBe(4)
        }
      },
    },
    {
      statement: 'validation checks that the key is valid',
      holds: async () => {
        const id = keyIdOf(await activate())
        await service.raw.deactivate(id)
        const error = await service.commerce.licenses
          .validate(service.licenseId, { key: id })
          .catch((reason: unknown) => reason)
        expect(isCommerceError(error)).toBe(true)
      },
    },
  ],
})
