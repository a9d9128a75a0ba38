export {
  CommerceError,
  type CommerceErrorCode,
  type CommerceErrorDetails,
  commerceErrorMessages,
  isCommerceError,
  type UnreachableReason,
} from '@latchkey/commerce'
