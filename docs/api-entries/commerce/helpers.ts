export {
  isLicenseUsable,
  isSameId,
  readFeatures,
  readPlan,
  remainingSeats,
  toDate,
  toEndDate,
} from '@latchkey/commerce'
