// GTK for Swift: wrappers of macros and of variadic functions, which Swift cannot call.
#pragma once

#include <gtk/gtk.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

/// The widget of a bar, with a pointer to its Swift object.
///
/// It is a GtkRange because GTK before 4.10 gives assistive technology the value of its own kinds of widgets only. Layout,
/// drawing and input are those of GtkWidget and of the bar.
typedef struct {
  GtkRange parent;
  /// The Swift object, NULL before it is attached and after it is freed.
  void *owner;
} hw_bar_widget;

/// Registers the type of the widget; `class_init` receives a pointer to the GtkWidgetClass.
static inline GType hw_bar_widget_register(GClassInitFunc class_init) {
  return g_type_register_static_simple(GTK_TYPE_RANGE, "HeadwayBarWidget", sizeof(GtkRangeClass), class_init,
                                       sizeof(hw_bar_widget), NULL, (GTypeFlags)0);
}

/// Creates a widget of that type with a floating reference, without the parts and the input of a GtkRange.
static inline GtkWidget *hw_bar_widget_new(GType type) {
  GtkWidget *widget = (GtkWidget *)g_object_new(type, "adjustment", gtk_adjustment_new(0, 0, 0, 0, 0, 0), NULL);
  for (GtkWidget *part = gtk_widget_get_first_child(widget); part; part = gtk_widget_get_next_sibling(part))
    gtk_widget_set_visible(part, FALSE);
  GListModel *controllers = gtk_widget_observe_controllers(widget);
  for (guint index = 0; index < g_list_model_get_n_items(controllers); index += 1) {
    GtkEventController *controller = (GtkEventController *)g_list_model_get_item(controllers, index);
    gtk_event_controller_set_propagation_phase(controller, GTK_PHASE_NONE);
    g_object_unref(controller);
  }
  g_object_unref(controllers);
  return widget;
}

/// Sets the value and the range of the widget as a GtkRange, which emits `value-changed` if the value is new.
static inline void hw_range_set(GtkWidget *widget, double value, double low, double high) {
  gtk_adjustment_configure(gtk_range_get_adjustment(GTK_RANGE(widget)), value, low, high, 0, 0, 0);
}

/// The value of the widget as a GtkRange.
static inline double hw_range_value(GtkWidget *widget) { return gtk_range_get_value(GTK_RANGE(widget)); }

/// The class of GtkWidget, for calling the inherited virtual functions.
static inline GtkWidgetClass *hw_widget_class(void) { return GTK_WIDGET_CLASS(g_type_class_peek(GTK_TYPE_WIDGET)); }

/// Sets the accessible role of a widget, which is possible until it is first read.
static inline void hw_set_role(GtkWidget *widget, GtkAccessibleRole role) {
  g_object_set(widget, "accessible-role", role, NULL);
}

/// Sets an accessible property to a number.
static inline void hw_accessible_set_number(GtkWidget *widget, GtkAccessibleProperty property, double value) {
  gtk_accessible_update_property(GTK_ACCESSIBLE(widget), property, value, -1);
}

/// Sets an accessible property to a text.
static inline void hw_accessible_set_text(GtkWidget *widget, GtkAccessibleProperty property, const char *text) {
  gtk_accessible_update_property(GTK_ACCESSIBLE(widget), property, text, -1);
}

/// Sets an accessible property to true or false.
static inline void hw_accessible_set_flag(GtkWidget *widget, GtkAccessibleProperty property, gboolean value) {
  gtk_accessible_update_property(GTK_ACCESSIBLE(widget), property, value, -1);
}

/// Sets the accessible orientation.
static inline void hw_accessible_set_orientation(GtkWidget *widget, GtkOrientation orientation) {
  gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_ORIENTATION, orientation, -1);
}

/// Resets an accessible property.
static inline void hw_accessible_reset(GtkWidget *widget, GtkAccessibleProperty property) {
  gtk_accessible_reset_property(GTK_ACCESSIBLE(widget), property);
}

/// Connects a function to a signal; its arguments depend on the signal, and `data` is the last one.
static inline gulong hw_connect(gpointer object, const char *signal, GCallback function, gpointer data) {
  return g_signal_connect_data(object, signal, function, data, NULL, (GConnectFlags)0);
}

/// A rectangle with rounded corners.
typedef struct {
  float x;
  float y;
  float width;
  float height;
  float radius;
} hw_rect;

/// A color with components from 0 to 1.
typedef struct {
  float red;
  float green;
  float blue;
  float opacity;
} hw_color;

/// Clips everything until the next gtk_snapshot_pop to a rectangle with rounded corners.
static inline void hw_push_clip(GtkSnapshot *snapshot, hw_rect rect) {
  GskRoundedRect outline;
  const graphene_rect_t bounds = GRAPHENE_RECT_INIT(rect.x, rect.y, rect.width, rect.height);
  gtk_snapshot_push_rounded_clip(snapshot, gsk_rounded_rect_init_from_rect(&outline, &bounds, rect.radius));
}

/// Appends a filled rectangle with rounded corners.
static inline void hw_append(GtkSnapshot *snapshot, hw_rect rect, hw_color color) {
  const graphene_rect_t bounds = GRAPHENE_RECT_INIT(rect.x, rect.y, rect.width, rect.height);
  const GdkRGBA rgba = {color.red, color.green, color.blue, color.opacity};
  if (rect.radius > 0) hw_push_clip(snapshot, rect);
  gtk_snapshot_append_color(snapshot, &rgba, &bounds);
  if (rect.radius > 0) gtk_snapshot_pop(snapshot);
}

/// Translates everything that is appended from now on.
static inline void hw_translate(GtkSnapshot *snapshot, float x, float y) {
  const graphene_point_t point = GRAPHENE_POINT_INIT(x, y);
  gtk_snapshot_translate(snapshot, &point);
}

/// Looks up a named color of the theme; returns FALSE if it has none.
///
/// GTK 4.10 deprecates these functions without a replacement.
static inline gboolean hw_theme_color(GtkWidget *widget, const char *name, hw_color *color) {
  GdkRGBA rgba;
  G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  const gboolean found = gtk_style_context_lookup_color(gtk_widget_get_style_context(widget), name, &rgba);
  G_GNUC_END_IGNORE_DEPRECATIONS
  if (found) *color = (hw_color){rgba.red, rgba.green, rgba.blue, rgba.alpha};
  return found;
}

/// The text color of a widget.
static inline hw_color hw_text_color(GtkWidget *widget) {
  GdkRGBA rgba;
  G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  gtk_style_context_get_color(gtk_widget_get_style_context(widget), &rgba);
  G_GNUC_END_IGNORE_DEPRECATIONS
  return (hw_color){rgba.red, rgba.green, rgba.blue, rgba.alpha};
}

/// Adds a style sheet to a display, with a lower priority than the theme if `is_fallback`.
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

/// Reads a Boolean property.
static inline gboolean hw_get_flag(gpointer object, const char *property) {
  gboolean value = FALSE;
  g_object_get(object, property, &value, NULL);
  return value;
}

/// Sets a Boolean property.
static inline void hw_set_flag(gpointer object, const char *property, gboolean value) {
  g_object_set(object, property, value, NULL);
}

/// Connects a function of `data` alone to a signal without a return value.
static inline gulong hw_connect_plain(gpointer object, const char *signal, void (*function)(gpointer data),
                                      gpointer data, GClosureNotify destroy) {
  return g_signal_connect_data(object, signal, G_CALLBACK(function), data, destroy, G_CONNECT_SWAPPED);
}

/// Appends a text centered at a point.
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

/// Whether a video cannot be played because GTK has no media backend.
static inline gboolean hw_has_no_media(gpointer media) {
  return g_strcmp0(G_OBJECT_TYPE_NAME(media), "GtkNoMediaFile") == 0;
}

/// Compares an accessible number with an expected one: returns NULL if they are equal, or the actual one as a text to free.
static inline char *hw_accessible_check_number(GtkWidget *widget, GtkAccessibleProperty property, double expected) {
  return gtk_test_accessible_check_property(GTK_ACCESSIBLE(widget), property, expected);
}

/// Compares an accessible text with an expected one: returns NULL if they are equal, or the actual one, to free.
static inline char *hw_accessible_check_text(GtkWidget *widget, GtkAccessibleProperty property, const char *expected) {
  return gtk_test_accessible_check_property(GTK_ACCESSIBLE(widget), property, expected);
}

/// The allocated memory of the process in bytes, or 0 if the C library does not report it.
static inline size_t hw_memory_in_use(void) {
#ifdef __GLIBC__
  return mallinfo2().uordblks;
#else
  return 0;
#endif
}
