const { contextBridge } = require('electron')

contextBridge.exposeInMainWorld('own', { node: process.versions.node })
