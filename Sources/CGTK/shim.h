// What Swift cannot say to GTK on its own: macros that cast and name types, and functions with an open list of arguments.
#pragma once

#include <gtk/gtk.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

/// The widget of a bar, which knows the Swift object that it stands for.
typedef struct {
  /// What GTK keeps of every widget.
  GtkWidget parent;
  /// The Swift object, NULL before it is attached and after it is gone.
  void *owner;
} hw_bar_widget;

/// Registers the type of the widget; `class_init` gets the class as a pointer to a GtkWidgetClass.
static inline GType hw_bar_widget_register(GClassInitFunc class_init) {
  return g_type_register_static_simple(GTK_TYPE_WIDGET, "HeadwayBarWidget", sizeof(GtkWidgetClass), class_init,
                                       sizeof(hw_bar_widget), NULL, (GTypeFlags)0);
}

/// Makes a widget of that type, whose reference is floating.
static inline GtkWidget *hw_bar_widget_new(GType type) { return (GtkWidget *)g_object_new(type, NULL); }

/// The class of widgets in general, whose functions a type of its own calls in its own.
static inline GtkWidgetClass *hw_widget_class(void) { return GTK_WIDGET_CLASS(g_type_class_peek(GTK_TYPE_WIDGET)); }

/// Sets the role of a widget for assistive technology, which can be done until one has asked for it.
static inline void hw_set_role(GtkWidget *widget, GtkAccessibleRole role) {
  g_object_set(widget, "accessible-role", role, NULL);
}

/// Tells assistive technology a number.
static inline void hw_tell_number(GtkWidget *widget, GtkAccessibleProperty property, double value) {
  gtk_accessible_update_property(GTK_ACCESSIBLE(widget), property, value, -1);
}

/// Tells assistive technology a text.
static inline void hw_tell_text(GtkWidget *widget, GtkAccessibleProperty property, const char *text) {
  gtk_accessible_update_property(GTK_ACCESSIBLE(widget), property, text, -1);
}

/// Tells assistive technology whether something holds.
static inline void hw_tell_truth(GtkWidget *widget, GtkAccessibleProperty property, gboolean value) {
  gtk_accessible_update_property(GTK_ACCESSIBLE(widget), property, value, -1);
}

/// Tells assistive technology the direction of a widget.
static inline void hw_tell_orientation(GtkWidget *widget, GtkOrientation orientation) {
  gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_ORIENTATION, orientation, -1);
}

/// Takes back what assistive technology was told.
static inline void hw_tell_nothing(GtkWidget *widget, GtkAccessibleProperty property) {
  gtk_accessible_reset_property(GTK_ACCESSIBLE(widget), property);
}

/// Connects a function to a signal; what it is given depends on the signal, and `data` comes last.
static inline gulong hw_connect(gpointer object, const char *signal, GCallback function, gpointer data) {
  return g_signal_connect_data(object, signal, function, data, NULL, (GConnectFlags)0);
}

/// A rectangle with round corners.
typedef struct {
  /// The left edge.
  float x;
  /// The upper edge.
  float y;
  /// The width.
  float width;
  /// The height.
  float height;
  /// The radius of its corners.
  float radius;
} hw_rect;

/// A colour; all parts are from 0 to 1.
typedef struct {
  /// Red.
  float red;
  /// Green.
  float green;
  /// Blue.
  float blue;
  /// How much it covers what is below.
  float opacity;
} hw_color;

/// Cuts off at a rectangle with round corners what is appended until the next gtk_snapshot_pop.
static inline void hw_push_clip(GtkSnapshot *snapshot, hw_rect rect) {
  GskRoundedRect outline;
  const graphene_rect_t bounds = GRAPHENE_RECT_INIT(rect.x, rect.y, rect.width, rect.height);
  gtk_snapshot_push_rounded_clip(snapshot, gsk_rounded_rect_init_from_rect(&outline, &bounds, rect.radius));
}

/// Appends a rectangle with round corners in a colour.
static inline void hw_append(GtkSnapshot *snapshot, hw_rect rect, hw_color color) {
  const graphene_rect_t bounds = GRAPHENE_RECT_INIT(rect.x, rect.y, rect.width, rect.height);
  const GdkRGBA rgba = {color.red, color.green, color.blue, color.opacity};
  if (rect.radius > 0) hw_push_clip(snapshot, rect);
  gtk_snapshot_append_color(snapshot, &rgba, &bounds);
  if (rect.radius > 0) gtk_snapshot_pop(snapshot);
}

/// Moves what is appended from now on.
static inline void hw_translate(GtkSnapshot *snapshot, float x, float y) {
  const graphene_point_t point = GRAPHENE_POINT_INIT(x, y);
  gtk_snapshot_translate(snapshot, &point);
}

/// A named colour of the theme; FALSE where the theme has none.
///
/// GTK 4.10 calls the functions behind it old and has no others.
static inline gboolean hw_theme_color(GtkWidget *widget, const char *name, hw_color *color) {
  GdkRGBA rgba;
  G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  const gboolean found = gtk_style_context_lookup_color(gtk_widget_get_style_context(widget), name, &rgba);
  G_GNUC_END_IGNORE_DEPRECATIONS
  if (found) *color = (hw_color){rgba.red, rgba.green, rgba.blue, rgba.alpha};
  return found;
}

/// The colour of a widget's text in its theme.
static inline hw_color hw_text_color(GtkWidget *widget) {
  GdkRGBA rgba;
  G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  gtk_style_context_get_color(gtk_widget_get_style_context(widget), &rgba);
  G_GNUC_END_IGNORE_DEPRECATIONS
  return (hw_color){rgba.red, rgba.green, rgba.blue, rgba.alpha};
}

/// Adds a style sheet for a whole display, below the one of the theme where `is_fallback`.
static inline void hw_add_css(GdkDisplay *display, const char *css, gboolean is_fallback) {
  GtkCssProvider *provider = gtk_css_provider_new();
  G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  gtk_css_provider_load_from_data(provider, css, -1);
  G_GNUC_END_IGNORE_DEPRECATIONS
  gtk_style_context_add_provider_for_display(
      display, GTK_STYLE_PROVIDER(provider),
      is_fallback ? GTK_STYLE_PROVIDER_PRIORITY_FALLBACK : GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
  g_object_unref(provider);
}

/// Reads a property that is true or false.
static inline gboolean hw_get_truth(gpointer object, const char *property) {
  gboolean value = FALSE;
  g_object_get(object, property, &value, NULL);
  return value;
}

/// Sets a property that is true or false.
static inline void hw_set_truth(gpointer object, const char *property, gboolean value) {
  g_object_set(object, property, value, NULL);
}

/// Connects a function that is given only `data` to a signal without an answer, whatever else the signal carries.
static inline gulong hw_connect_plain(gpointer object, const char *signal, void (*function)(gpointer data),
                                      gpointer data, GClosureNotify destroy) {
  return g_signal_connect_data(object, signal, G_CALLBACK(function), data, destroy, G_CONNECT_SWAPPED);
}

/// Appends a text in a colour with its middle at a point.
static inline void hw_append_text(GtkSnapshot *snapshot, GtkWidget *widget, const char *text, float x, float y,
                                  hw_color color) {
  PangoLayout *layout = gtk_widget_create_pango_layout(widget, text);
  const GdkRGBA rgba = {color.red, color.green, color.blue, color.opacity};
  int width = 0, height = 0;
  pango_layout_get_pixel_size(layout, &width, &height);
  const graphene_point_t corner = GRAPHENE_POINT_INIT(x - width / 2.0f, y - height / 2.0f);
  gtk_snapshot_save(snapshot);
  gtk_snapshot_translate(snapshot, &corner);
  gtk_snapshot_append_layout(snapshot, layout, &rgba);
  gtk_snapshot_restore(snapshot);
  g_object_unref(layout);
}

/// Whether a video cannot be played because GTK has no backend for media.
static inline gboolean hw_has_no_media(gpointer media) {
  return g_strcmp0(G_OBJECT_TYPE_NAME(media), "GtkNoMediaFile") == 0;
}

/// What assistive technology knows of a number, as a text to be freed; NULL where it is the one that is expected.
static inline char *hw_known(GtkWidget *widget, GtkAccessibleProperty property, double expected) {
  return gtk_test_accessible_check_property(GTK_ACCESSIBLE(widget), property, expected);
}

/// What assistive technology knows of a text, to be freed; NULL where it is the one that is expected.
static inline char *hw_known_text(GtkWidget *widget, GtkAccessibleProperty property, const char *expected) {
  return gtk_test_accessible_check_property(GTK_ACCESSIBLE(widget), property, expected);
}

/// The bytes of memory that the process has asked for and not given back; 0 where the C library does not tell.
static inline size_t hw_memory_in_use(void) {
#ifdef __GLIBC__
  return mallinfo2().uordblks;
#else
  return 0;
#endif
}
