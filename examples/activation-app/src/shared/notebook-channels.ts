/** Names of the notebook's IPC channels. */
export const notebookChannels = {
  list: 'notebook:list',
  read: 'notebook:read',
  write: 'notebook:write',
  writeNow: 'notebook:write-now',
  create: 'notebook:create',
  rename: 'notebook:rename',
  remove: 'notebook:remove',
  restore: 'notebook:restore',
  exportNote: 'notebook:export',
  findUpdate: 'notebook:find-update',
} as const
