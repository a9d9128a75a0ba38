export {
  type Customer,
  type Discount,
  type DiscountStatus,
  isDiscountOpen,
  type Product,
  type ProductType,
  toDate,
} from '@latchkey/commerce'
