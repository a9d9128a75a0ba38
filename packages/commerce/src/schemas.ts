export { customerSchema } from './customer.ts'
export { discountSchema } from './discount.ts'
export { licenseSchema } from './license.ts'
export {
  activationSchema,
  deactivationSchema,
  licenseKeyAnswerSchema,
  licenseKeysAnswerSchema,
  validationSchema,
} from './license-answers.ts'
export { licenseKeySchema } from './license-key.ts'
export { pageSchema } from './page.ts'
export { productSchema } from './product.ts'
