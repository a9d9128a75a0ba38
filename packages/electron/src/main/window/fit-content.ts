import type { Rectangle } from 'electron'

/**
 * Computes the bounds of a window's content that should be as tall as its page. The top edge stays in place, unless the
 * window would extend below the display's work area. It is never taller than that area.
 *
 * @param content the current bounds of the content, in desktop pixels
 * @param height the page's own height, in pixels
 * @param frameHeight height of the frame above the content, in pixels; 0 for none
 * @param area the display's work area
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
