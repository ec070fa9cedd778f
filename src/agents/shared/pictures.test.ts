import { expect, it } from "vitest";
import { picturesOf } from "./pictures.ts";

it("finds images in every notation, and nothing else", () => {
  const image = { mediaType: "image/png", data: "AAAA" };
  const blocks = [
    { type: "text", text: "look" },
    { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
    { type: "image", data: "AAAA", mimeType: "image/png" },
    { inlineData: { mimeType: "image/png", data: "AAAA" } },
    { type: "input_image", image_url: "data:image/png;base64,AAAA" },
    { type: "image", source: { type: "url", url: "https://example.org/a.png" } },
    { inlineData: { mimeType: "application/pdf", data: "AAAA" } },
    { type: "input_image", image_url: "https://example.org/a.png" },
  ];
  expect(picturesOf(blocks)).toEqual({ images: [image, image, image, image] });
  expect(picturesOf("data:image/png;base64,AAAA")).toEqual({});
  expect(picturesOf([{ type: "text", text: "x" }])).toEqual({});
});
