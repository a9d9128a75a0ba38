export const buy = 'Get a license'
