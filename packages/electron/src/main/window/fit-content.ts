import type { Rectangle } from 'electron'

/**
 * Where the content of a window goes that shall be as high as its page: the top edge stays, unless the window would
 * reach below the part of the display that is free for windows. It is never higher than that.
 *
 * @param content where the content is now, in pixels of the desktop
 * @param height the page's own height
 * @param frameHeight height of the frame above the content; 0 for none
 * @param area the part of the display that is free for windows
 */
export function fitContent(
  content: Rectangle,
  height: number,
  frameHeight: number,
  area: Rectangle,
): Rectangle {
  const top = area.y + frameHeight
  const fitted = Math.min(height, area.height - frameHeight)
  const lowestTop = area.y + area.height - fitted
  return { ...content, y: Math.max(top, Math.min(content.y, lowestTop)), height: fitted }
}
