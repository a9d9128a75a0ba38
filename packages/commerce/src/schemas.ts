export { licenseSchema } from './licenses/license.ts'
export {
  activationSchema,
  deactivationSchema,
  licenseKeyAnswerSchema,
  licenseKeysAnswerSchema,
  validationSchema,
} from './licenses/license-answers.ts'
export { licenseKeySchema } from './licenses/license-key.ts'
export { customerSchema } from './lists/customer.ts'
export { discountSchema } from './lists/discount.ts'
export { pageSchema } from './lists/page.ts'
export { productSchema } from './lists/product.ts'
