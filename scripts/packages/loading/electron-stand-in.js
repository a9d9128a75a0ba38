// The names of Electron's exports. Nothing here is used without a real Electron.
export const BrowserWindow = class {}
export const app = {}
export const autoUpdater = {}
export const clipboard = {}
export const contextBridge = {}
export const dialog = {}
export const ipcMain = {}
export const ipcRenderer = {}
export const nativeTheme = {}
export const net = {}
export const powerMonitor = {}
export const safeStorage = {}
export const screen = {}
export const session = {}
export const shell = {}
export const systemPreferences = {}
export const webContents = {}
