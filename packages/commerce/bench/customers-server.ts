import { createServer } from 'node:http'

// A process of its own, so that serving does not count as walking. Started by walk.bench.ts.

const perPage = 25
const total = Number(process.argv[2])
const answerDelayMs = Number(process.argv[3] ?? 0)
const lastPage = Math.ceil(total / perPage)

const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', `http://${request.headers.host}`)
  const body = pageBody(`${url.origin}${url.pathname}`, Number(url.searchParams.get('page') ?? 1))
  const answer = (): void => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    response.end(body)
  }
  if (answerDelayMs === 0) answer()
  else setTimeout(answer, answerDelayMs)
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.send?.(typeof address === 'object' ? address?.port : null)
})
process.on('disconnect', () => process.exit())

function pageBody(path: string, page: number): string {
  const first = (page - 1) * perPage + 1
  const last = Math.min(page * perPage, total)
  const data = Array.from({ length: last - first + 1 }, (_, index) => customer(first + index))
  const url = (number: number): string | null =>
    number < 1 || number > lastPage ? null : `${path}?page=${number}`
  const numbers = [page - 1, page, page + 1].filter((number) => url(number) !== null)
  return JSON.stringify({
    data,
    links: { first: url(1), last: url(lastPage), prev: url(page - 1), next: url(page + 1) },
    meta: {
      current_page: page,
      from: first,
      last_page: lastPage,
      links: [
        { url: url(page - 1), label: 'Previous', active: false },
        ...numbers.map((number) => ({ url: url(number), label: String(number), active: number === page })),
        { url: url(page + 1), label: 'Next', active: false },
      ],
      path,
      per_page: perPage,
      to: last,
      total,
    },
  })
}

function customer(number: number): { id: string; name: string; email: string } {
  const id = `00000000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`
  return { id, name: `Customer ${number}`, email: `customer-${number}@example.com` }
}
