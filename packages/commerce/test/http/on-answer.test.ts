import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type AnswerMeta, createCommerceClient } from '../../src/index.ts'
import { errorOf } from '../error-of.ts'
import { customer, key, keyId, license, licenseId, page } from '../samples.ts'
import { type Answer, json, startService, text } from '../service.ts'

const date = 'Sun, 06 Nov 2033 08:49:37 GMT'

describe('onAnswer', () => {
  async function answersTo(answer: Answer): Promise<AnswerMeta[]> {
    const service = await startService(answer)
    const seen: AnswerMeta[] = []
    const { licenses } = createCommerceClient({ baseUrl: service.baseUrl })
    await licenses
      .validate(licenseId, { key: keyId }, { onAnswer: (meta) => seen.push(meta) })
      .catch(() => {})
    return seen
  }

  it('reports status, headers, the server’s date and that the answer is as documented', async () => {
    const seen = await answersTo(json({ license, key }, 201, { date, 'x-signature': 'abc' }))
    // And no body.
    expect(seen).toEqual([
      {
        operation: 'licenses.validate',
        status: 201,
        headers: expect.anything(),
        serverDateMs: Date.UTC(2033, 10, 6, 8, 49, 37),
        isExpected: true,
        durationMs: expect.any(Number),
      },
    ])
    expect(seen[0]?.headers.get('x-signature')).toBe('abc')
  })

  it.each<[string, Answer, number]>([
    ['a refusal', json({}, 404), 404],
    ['a captive portal’s page', text('<html>'), 200],
    ['a wrong field', json({ license, key: { ...key, id: 7 } }), 200],
    ['a redirect', text('', 302, { location: '/' }), 302],
    [
      'a body that breaks off',
      (_request, response) => {
        response.writeHead(200, { 'content-length': '100' })
        response.write('{', () => response.destroy())
      },
      200,
    ],
  ])('reports %s as unexpected', async (_what, answer, status) => {
    const seen = await answersTo(answer)
    expect(seen).toMatchObject([{ status, isExpected: false }])
  })

  it.each([
    ['', null],
    ['yesterday', null],
    ['-1', null],
    ['2033', null],
  ])('reports no server date when the header is %j', async (value, serverDateMs) => {
    expect(await answersTo(json({ license, key }, 200, { date: value }))).toMatchObject([{ serverDateMs }])
  })

  it('isn’t called without an answer', async () => {
    const service = await startService((_request, response) => response.destroy())
    const seen: AnswerMeta[] = []
    const { licenses } = createCommerceClient({ baseUrl: service.baseUrl })
    const call = licenses.keys(licenseId, { onAnswer: (meta) => seen.push(meta) })
    expect(await errorOf(call)).toMatchObject({ code: 'unreachable', reason: 'network' })
    expect(seen).toEqual([])
  })

  it('reports how long the answer took up to its last byte', async () => {
    let nowMs = 5000
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
    onTestFinished(() => clock.mockRestore())
    const fetch = async () => {
      nowMs += 200
      const body = new ReadableStream({
        pull(controller) {
          nowMs += 50
          controller.enqueue(new TextEncoder().encode('{"data":[]}'))
          controller.close()
        },
      })
      return new Response(body)
    }
    const { licenses } = createCommerceClient({ baseUrl: 'https://commerce.example/v1', fetch })
    const seen: AnswerMeta[] = []
    await licenses.keys(licenseId, { onAnswer: (meta) => seen.push(meta) })
    expect(seen).toMatchObject([{ durationMs: 250 }])
  })

  it('is called for every page', async () => {
    const service = await startService((request, response) => {
      const number = Number(new URL(request.url, 'http://x').searchParams.get('page') ?? 1)
      json(page('/v1/customers', [customer(number)], number, 3))(request, response)
    })
    const statuses: number[] = []
    const { customers } = createCommerceClient({ baseUrl: service.baseUrl })
    for await (const _ of customers.all({ onAnswer: ({ status }) => statuses.push(status) }));
    expect(statuses).toEqual([200, 200, 200])
  })

  it('a listener that throws rejects the call with its error', async () => {
    const service = await startService(json({ data: [] }))
    const { licenses } = createCommerceClient({ baseUrl: service.baseUrl })
    const onAnswer = (): void => {
      throw new RangeError('mine')
    }
    await expect(licenses.keys(licenseId, { onAnswer })).rejects.toThrow(RangeError)
    await expect(errorOf(licenses.keys(licenseId, { onAnswer }))).rejects.toThrow('mine')
  })
})
