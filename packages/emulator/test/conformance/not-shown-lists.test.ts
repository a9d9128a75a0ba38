import { expect } from 'vitest'
import { dialects, type Emulator } from '../../src/index.ts'
import { customers, describeNotShown, error, inDialect, keyNames } from './not-shown-suite.ts'

describeNotShown({
  'the unit of a FIXED amount': (['minor', 'major'] as const).map((fixedAmountUnit) => ({
    behavior: `${fixedAmountUnit} units`,
    arrange: inDialect({ discounts: { ...dialects.default.discounts, fixedAmountUnit } }),
    act: async (client) =>
      (await client.discounts.list()).data
        .filter(({ type }) => type === 'FIXED')
        .every(({ amount, total_formatted }) => {
          const shown = Number(total_formatted.slice(1))
          return amount === (fixedAmountUnit === 'minor' ? shown * 100 : shown)
        }),
    gives: true,
  })),
  'the format of starts_at and ends_at': (['timestamp', 'date-time', 'date'] as const).map(
    (windowFormat) => ({
      behavior: `a ${windowFormat}`,
      arrange: inDialect({ discounts: { ...dialects.default.discounts, windowFormat } }),
      act: async (client) => (await client.discounts.list()).data.length,
      gives: 25,
    }),
  ),
  'the values of a discount status': [['Active'], ['Scheduled', 'EXPIRED']].map((statuses) => ({
    behavior: statuses.join(' and '),
    arrange: inDialect({ discounts: { ...dialects.default.discounts, statuses } }),
    act: async (client) =>
      [...new Set((await client.discounts.list()).data.map(({ status }) => status))].sort(),
    gives: [...statuses].sort(),
  })),
  'the values of a product type': [['EBOOK'], ['COURSE', 'whatever']].map((productTypes) => ({
    behavior: productTypes.join(' and '),
    arrange: inDialect({ discounts: { ...dialects.default.discounts, productTypes } }),
    act: async (client) => {
      const { data } = await client.discounts.list()
      return [...new Set(data.flatMap(({ products }) => products.map(({ type }) => type)))].sort()
    },
    gives: [...productTypes].sort(),
  })),
  'further customer fields': [
    { behavior: 'there are none', act: customers, gives: { data: expect.any(Array) } },
    {
      behavior: 'there are some, which are dropped',
      arrange: ({ control }) =>
        void control.faults.inject({
          fault: 'set-fields',
          fields: { 'data.*.phone': '+1', 'data.*.address': { city: 'Oslo' } },
        }),
      act: async (client) => Object.keys((await client.customers.list()).data[0] ?? {}),
      gives: ['id', 'name', 'email'],
    },
  ],
  'whether List keys is paginated': [
    { behavior: 'it is not', act: keyNames, gives: ['Laptop', 'Phone', 'Tablet'] },
    {
      behavior: 'it is',
      arrange: inDialect({ keysPaging: { perPage: 1 } }),
      act: keyNames,
      gives: ['Laptop', 'Phone', 'Tablet'],
    },
  ].map((row) => ({
    ...row,
    arrange: (running: Emulator) => {
      row.arrange?.(running)
      for (const name of ['Phone', 'Tablet']) running.control.addKey(running.demoLicense.id, name)
    },
  })),
  'the page size of other services': [1, 100].map((perPage) => ({
    behavior: `${perPage} per page`,
    arrange: (running) => {
      inDialect({ keysPaging: { perPage } })(running)
      for (let index = 0; index < 4; index += 1) running.control.addKey(running.demoLicense.id, `${index}`)
    },
    act: keyNames,
    gives: ['Laptop', '0', '1', '2', '3'],
  })),
  'pages that are not there': [
    {
      behavior: 'an empty page, from and to 0',
      act: (client) => client.customers.list({ page: 99 }),
      gives: { data: [], meta: { from: 0, to: 0 } },
    },
    {
      behavior: 'an empty page, from and to null',
      arrange: inDialect({ paging: { ...dialects.default.paging, emptyRange: null } }),
      act: (client) => client.customers.list({ page: 99 }),
      gives: { data: [], meta: { from: null, to: null } },
    },
    {
      behavior: 'the last page',
      arrange: inDialect({ paging: { ...dialects.default.paging, beyondLast: 'nearest' } }),
      act: (client) => client.customers.list({ page: 99 }),
      gives: { meta: { current_page: 3 } },
    },
    {
      behavior: 'a refusal',
      arrange: inDialect({ paging: { ...dialects.default.paging, beyondLast: 'refuse' } }),
      act: (client) => client.customers.list({ page: 99 }),
      gives: error('rejected', { status: 422 }),
    },
  ],
})
