export { licenseKeySchema, licenseSchema } from './licenses/license-and-key.ts'
export {
  activationSchema,
  deactivationSchema,
  licenseKeyAnswerSchema,
  licenseKeysAnswerSchema,
  validationSchema,
} from './licenses/licenses.ts'
export { customerSchema, discountSchema, productSchema } from './lists/items.ts'
export { pageSchema } from './lists/paged-list.ts'
