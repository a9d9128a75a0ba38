import { operationRoutes } from '../../openapi/paths.ts'
import { refuse } from '../../service/answer.ts'
import { answerRequest } from '../../service/answer-request.ts'
import type { Face } from '../face.ts'

/** The interface's version segment. */
const basePath = '/v1'

/** The commerce service itself. Dialects choose what its interface leaves open. */
export const commerceFace: Face = {
  name: 'commerce',
  basePath,
  routes: operationRoutes.map(({ operation, method, path }) => ({
    operation,
    method: method.toUpperCase(),
    path: basePath + path.replaceAll(/\{(\w+)\}/g, ':$1'),
  })),
  settings: {},
  licenseKeyOf: (licenseId) => licenseId,
  licenseIdOf: (_state, { param }) => param('id'),
  answer: (state, { operation, url, param, header, bodyText }) =>
    answerRequest(state, {
      operation,
      licenseId: param('id'),
      keyId: param('key'),
      page: url.searchParams.get('page') ?? undefined,
      url: `${url.origin}${url.pathname}`,
      header,
      bodyText,
    }),
  refuseRoute: ({ dialect }, kind) => refuse(dialect, kind),
}
