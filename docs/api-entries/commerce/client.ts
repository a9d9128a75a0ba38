export {
  type AnswerMeta,
  type CallOptions,
  type CommerceClient,
  type CommerceClientOptions,
  createCommerceClient,
  type Fetch,
  type Licenses,
  type OnRetry,
  type Operation,
} from '@latchkey/commerce'
